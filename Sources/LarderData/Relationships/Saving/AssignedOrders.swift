import LarderSupport

/// The orders that a save assigns to rows, in the to-manys that are the inverse of one of their foreign keys.
final class AssignedOrders {
  /// The model that declares the key, and the property.
  let layoutID: Int
  let property: Int
  /// The orders of rows that are in the store already.
  private(set) var stored: [Int64: Int64] = [:]
  /// The orders of objects that the save inserts, by their index among them: there may be many, and no hash is needed.
  // Numbers: no code runs while they are read or written.
  @exclusivity(unchecked) private var inserted: ContiguousArray<(row: Int64, order: Int64)>

  /// The mark of no order: no assigned order is as low as this.
  private static var unassigned: Int64 { Int64.min }

  /// - Parameter inserted: The rows of objects that the save inserts, whose headers have their indexes.
  init(layoutID owner: Int, property key: Int, inserted: ContiguousArray<Int64>) {
    self.layoutID = owner
    self.property = key
    // One by one: an array of pairs without labels would be cast pair by pair.
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

  /// Returns `nil` for an object that is not new, or became new during the save.
  @inline(__always)
  private func insertIndex(of header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Int? {
    guard header.pointee.status.contains(.inserted) else { return nil }
    let place = Int(header.pointee.changedIndex)
    guard inserted.indices.contains(place), inserted[place].row == header.pointee.rowID else { return nil }
    return place
  }
}
