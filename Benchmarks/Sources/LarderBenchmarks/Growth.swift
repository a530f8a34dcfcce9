/// How the loop's cost per record grows from the fewest records to the most.
///
/// Plain C's grows too, with the depth of the trees and the misses of the caches, so its own growth is the limit.
struct Growth {
  let name: String
  let most: Measurement
  let fewest: Measurement

  init?(_ what: String, from fewestRows: Int, to mostRows: Int, in measurements: Measurements) {
    guard fewestRows < mostRows, let fewest = measurements[Suite.loopName(what, fewestRows)],
      let most = measurements[Suite.loopName(what, mostRows)]
    else { return nil }
    name = "growth of the loop, \(what)"
    self.most = most
    self.fewest = fewest
  }

  var oursFactor: Double { most.oursMedian / fewest.oursMedian }
  var limitFactor: Double { most.limitMedian / fewest.limitMedian }
  var ratio: Double { oursFactor / limitFactor }
}
