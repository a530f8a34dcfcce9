import LarderSupport

/// The orders that a save gives to rows, in the to-manys that mirror one of their keys.
final class OrderTable {
  /// The model that declares the key, and the property.
  let owner: Int
  let key: Int
  /// Those of rows that are in the store already.
  private(set) var stored: [Int64: Int64] = [:]
  /// Those of objects that the save inserts, by their places among them: there may be many, and no hash is needed.
  // Numbers: nothing runs while they are read or written.
  @exclusivity(unchecked) private var inserted: ContiguousArray<(row: Int64, order: Int64)>

  /// No order: this far down, none is ever given.
  private static var none: Int64 { Int64.min }

  /// - Parameter inserted: The rows of objects that the save inserts, whose headers know their places.
  init(owner: Int, key: Int, inserted: ContiguousArray<Int64>) {
    self.owner = owner
    self.key = key
    // One by one: an array of pairs without names would be cast pair by pair.
    self.inserted = []
    self.inserted.reserveCapacity(inserted.count)
    for row in inserted { self.inserted.append((row: row, order: OrderTable.none)) }
  }

  subscript(_ header: UnsafeMutablePointer<ModelHeader.Fields>) -> Int64? {
    get {
      guard let place = place(of: header) else { return stored[header.pointee.rowID] }
      let order = inserted[place].order
      return order == OrderTable.none ? nil : order
    }
    set {
      if let place = place(of: header) {
        inserted[place].order = newValue ?? OrderTable.none
      } else {
        stored[header.pointee.rowID] = newValue
      }
    }
  }

  /// Nil for an object that is no new one, or became one while the save was under way.
  @inline(__always)
  private func place(of header: UnsafeMutablePointer<ModelHeader.Fields>) -> Int? {
    guard header.pointee.status.contains(.inserted) else { return nil }
    let place = Int(header.pointee.place)
    guard inserted.indices.contains(place), inserted[place].row == header.pointee.rowID else { return nil }
    return place
  }
}
