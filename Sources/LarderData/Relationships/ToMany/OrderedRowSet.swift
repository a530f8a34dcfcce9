/// Rows in an order. After the first removal, any row is removed, and one is appended, in a time that does not grow with the
/// number of rows.
struct OrderedRowSet {
  /// The rows, and 0, which is no row, for a removed one.
  private var slots: [Int64]
  /// The index of each row, once a row was removed or appended.
  private var index: [Int64: Int]?
  /// The maximum number of slots in excess of twice the number of rows.
  private static let maximumSlack = 64

  init(_ rows: [Int64]) { slots = rows }

  /// Creates a set of rows that may contain duplicates: a list may have an insert and the row to which it was resolved.
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
