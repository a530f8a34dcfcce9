import LarderSupport

/// The orders that a save gives to rows, in the to-manys that mirror one of their keys.
final class AssignedOrders {
  /// The model that declares the key, and the property.
  let layoutID: Int
  let property: Int
  /// Those of rows that are in the store already.
  private(set) var stored: [Int64: Int64] = [:]
  /// Those of objects that the save inserts, by their places among them: there may be many, and no hash is needed.
  // Numbers: nothing runs while they are read or written.
  @exclusivity(unchecked) private var inserted: ContiguousArray<(row: Int64, order: Int64)>

  /// No order: this far down, none is ever given.
  private static var unassigned: Int64 { Int64.min }

  /// - Parameter inserted: The rows of objects that the save inserts, whose headers know their places.
  init(layoutID owner: Int, property key: Int, inserted: ContiguousArray<Int64>) {
    self.layoutID = owner
    self.property = key
    // One by one: an array of pairs without names would be cast pair by pair.
    self.inserted = []
    self.inserted.reserveCapacity(inserted.count)
    for row in inserted { self.inserted.append((row: row, order: AssignedOrders.unassigned)) }
  }

  subscript(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Int64? {
    get {
      guard let place = insertIndex(of: header) else { return stored[header.pointee.rowID] }
      let order = inserted[place].order
      return order == AssignedOrders.unassigned ? nil : order
    }
    set {
      if let place = insertIndex(of: header) {
        inserted[place].order = newValue ?? AssignedOrders.unassigned
      } else {
        stored[header.pointee.rowID] = newValue
      }
    }
  }

  /// Nil for an object that is no new one, or became one while the save was under way.
  @inline(__always)
  private func insertIndex(of header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Int? {
    guard header.pointee.status.contains(.inserted) else { return nil }
    let place = Int(header.pointee.changedIndex)
    guard inserted.indices.contains(place), inserted[place].row == header.pointee.rowID else { return nil }
    return place
  }
}
