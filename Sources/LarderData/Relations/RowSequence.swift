/// Rows in an order. Any of them leaves, and one joins at the end, in a time that does not grow with how many there are, once the
/// first has.
struct RowSequence {
  /// 0, which is no row, where one has left.
  private var places: [Int64]
  /// Where each stands, once one has left or joined.
  private var index: [Int64: Int]?
  /// So many places more than there are rows are kept.
  private static let slack = 64

  init(_ rows: [Int64]) { places = rows }

  /// Of rows of which some may be there twice: in a list that an insert was in, beside the row that it has met.
  init(once rows: [Int64]) {
    var present: Set<Int64> = []
    present.reserveCapacity(rows.count)
    places = rows.filter { present.insert($0).inserted }
  }

  var elements: [Int64] { index.map { $0.count == places.count } ?? true ? places : places.filter { $0 != 0 } }

  mutating func append(_ row: Int64) {
    remove(row)
    index?[row] = places.count
    places.append(row)
  }

  mutating func remove(_ row: Int64) {
    if index == nil { makeIndex() }
    guard let place = index?.removeValue(forKey: row) else { return }
    places[place] = 0
    if let count = index?.count, places.count > 2 * count + RowSequence.slack {
      places = places.filter { $0 != 0 }
      makeIndex()
    }
  }

  private mutating func makeIndex() {
    index = Dictionary(zip(places, places.indices), uniquingKeysWith: { first, _ in first })
  }
}
