#if DEBUG
  import LarderSupport

  extension OriginalValues {
    /// Checks that each original value belongs to a changed object, and is the only one of its property.
    ///
    /// - Parameter objects: The number of changed objects.
    mutating func _checkInvariants(objects: Int) {
      struct Property: Hashable {
        let object: Int32
        let bit: _PropertyMask
      }
      var known: Set<Property> = []
      for index in 0..<count {
        let entry = self[index]
        if entry.bit == 0 { continue }
        Contract.require(
          entry.objectIndex >= 0 && Int(entry.objectIndex) < objects,
          "An original value is of changed object \(entry.objectIndex), and there are \(objects).")
        Contract.require(
          known.insert(Property(object: entry.objectIndex, bit: entry.bit)).inserted,
          "Changed object \(entry.objectIndex) has two original values of the property with bit \(entry.bit.firstIndex)."
        )
        Contract.require(
          self.entry(of: entry.objectIndex, entry.bit) == index,
          "The original value \(index) of changed object \(entry.objectIndex) is not found.")
      }
    }
  }
#endif
