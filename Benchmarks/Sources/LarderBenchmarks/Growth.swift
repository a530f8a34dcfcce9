/// How the cost of one record grows from few of them to many.
///
/// Plain C's grows too, with the depth of the trees and the misses of the caches, so its own growth is the limit. Where it falls, since
/// little is to be done for few records beside what is done once, the limit is that ours does not grow.
struct Growth {
  let name: String
  let budget: Double
  let most: Measurement
  let fewest: Measurement

  /// - Parameters:
  ///   - what: What is measured at several numbers of records.
  ///   - fewest: The name of the row with the fewest.
  ///   - most: That of the row with the most.
  init?(_ what: String, from fewest: String, to most: String, budget: Double, in measurements: Measurements) {
    guard let fewest = measurements[fewest], let most = measurements[most], fewest.rows < most.rows else { return nil }
    name = "growth of \(what)"
    self.budget = budget
    self.most = most
    self.fewest = fewest
  }

  var oursFactor: Double { most.oursMedian / fewest.oursMedian }
  var limitFactor: Double { most.limitMedian / fewest.limitMedian }
  var ratio: Double { oursFactor / max(1, limitFactor) }
}
