import LarderSupport

/// The orders that must change for rows to have a wanted sequence: as few as there are rows that move.
struct OrderPlan {
  private(set) var changes: [(row: Int64, order: Int64)] = []

  /// - Parameters:
  ///   - stored: The present rows with their orders, in their present sequence.
  ///   - wanted: The rows in their wanted sequence. Rows that are not among the stored ones are new; stored rows that are not
  ///     wanted keep their orders.
  init(stored: [(row: Int64, order: Int64?)], wanted: [Int64]) {
    let orders = Dictionary(
      stored.compactMap { row in row.order.map { (row.row, $0) } }, uniquingKeysWith: { first, _ in first })
    let stay = OrderPlan.longestIncreasing(wanted.map { orders[$0] })
    var previous: Int64 = 0
    var index = 0
    while index < wanted.count {
      if stay[index], let order = orders[wanted[index]] {
        previous = order
        index += 1
        continue
      }
      // A run of rows that move, between two that stay.
      let first = index
      while index < wanted.count, !stay[index] { index += 1 }
      let count = Int64(index - first)
      let next = index < wanted.count ? orders[wanted[index]] : nil
      guard let step = OrderPlan.step(previous, next, count) else {
        changes = wanted.enumerated().map { (row: $1, order: Int64($0 + 1) * StoreFormat.orderStep) }
        return
      }
      for place in 0..<count { changes.append((wanted[first + Int(place)], previous + step * (place + 1))) }
      previous += step * count
    }
  }

  /// Returns the distance that leaves room for `count` rows after `previous` and before `next`; `nil` if there is none.
  private static func step(_ previous: Int64, _ next: Int64?, _ count: Int64) -> Int64? {
    guard let next else {
      let (length, isTooLarge) = count.multipliedReportingOverflow(by: StoreFormat.orderStep)
      return isTooLarge || previous > Int64.max - length ? nil : StoreFormat.orderStep
    }
    let step = (next - previous) / (count + 1)
    return step > 0 ? step : nil
  }

  /// Marks the longest sequence of elements whose orders increase; `nil` is no order.
  static func longestIncreasing(_ orders: [Int64?]) -> [Bool] {
    // The index of the smallest last order of an increasing sequence, for each length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: orders.count)
    for (place, order) in orders.enumerated() {
      guard let order, order > 0 else { continue }
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if (orders[ends[middle]] ?? 0) < order { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : -1
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var result = [Bool](repeating: false, count: orders.count)
    var place = ends.last ?? -1
    while place >= 0 {
      result[place] = true
      place = before[place]
    }
    return result
  }
}
