import Foundation

/// One row of the table: our side and the limit's, measured in rounds, in nanoseconds for a record.
struct Measurement {
  let name: String
  /// The most that the ratio of the medians may be; nil where that is told, and not judged.
  let budget: Double?
  let rows: Int
  var ours: [Double] = []
  var limit: [Double] = []

  var oursMedian: Double { ours.median }
  var limitMedian: Double { limit.median }
  var ratio: Double { oursMedian / limitMedian }

  /// The middle half of the rounds' own ratios: the distance of its ends, as a part of their median.
  var spread: Double {
    // What is measured as a difference may come to nothing in a round.
    let ratios = zip(ours, limit).map { $0 / $1 }.filter(\.isFinite).sorted()
    guard ratios.count > 1, ratios.median != 0 else { return 0 }
    return (ratios[ratios.count * 3 / 4] - ratios[ratios.count / 4]) / ratios.median
  }

  var isWithinBudget: Bool { budget.map { ratio <= $0 } ?? true }
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// Collects measurements by name, in the order in which they first came.
struct Measurements {
  private(set) var all: [Measurement] = []
  /// Rows that cannot be measured, because what they do is not supported yet.
  private(set) var missing: [String] = []

  subscript(name: String) -> Measurement? { all.first { $0.name == name } }

  mutating func notYet(_ name: String) {
    if !missing.contains(name) { missing.append(name) }
  }

  mutating func add(_ name: String, budget: Double?, rows: Int, ours: Double, limit: Double) {
    let index =
      all.firstIndex { $0.name == name }
      ?? {
        all.append(Measurement(name: name, budget: budget, rows: rows))
        return all.count - 1
      }()
    all[index].ours.append(ours / Double(rows))
    all[index].limit.append(limit / Double(rows))
  }
}

/// Nanoseconds that some work takes.
func nanoseconds(_ work: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let duration = try await clock.measure { try await work() }
  return Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
}
