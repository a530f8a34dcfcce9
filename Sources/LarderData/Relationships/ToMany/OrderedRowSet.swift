/// Rows in an order. Any of them leaves, and one joins at the end, in a time that does not grow with how many there are, once the
/// first has.
struct OrderedRowSet {
  /// 0, which is no row, where one has left.
  private var slots: [Int64]
  /// Where each stands, once one has left or joined.
  private var index: [Int64: Int]?
  /// So many places more than there are rows are kept.
  private static let maximumSlack = 64

  init(_ rows: [Int64]) { slots = rows }

  /// Of rows of which some may be there twice: in a list that an insert was in, beside the row that it has met.
  init(uniquing rows: [Int64]) {
    var present: Set<Int64> = []
    present.reserveCapacity(rows.count)
    slots = rows.filter { present.insert($0).inserted }
  }

  var elements: [Int64] { index.map { $0.count == slots.count } ?? true ? slots : slots.filter { $0 != 0 } }

  mutating func append(_ row: Int64) {
    remove(row)
    index?[row] = slots.count
    slots.append(row)
  }

  mutating func remove(_ row: Int64) {
    if index == nil { makeIndex() }
    guard let place = index?.removeValue(forKey: row) else { return }
    slots[place] = 0
    if let count = index?.count, slots.count > 2 * count + OrderedRowSet.maximumSlack {
      slots = slots.filter { $0 != 0 }
      makeIndex()
    }
  }

  private mutating func makeIndex() {
    index = Dictionary(zip(slots, slots.indices), uniquingKeysWith: { first, _ in first })
  }
}
