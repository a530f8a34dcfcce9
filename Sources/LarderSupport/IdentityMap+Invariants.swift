#if DEBUG
  extension IdentityMap {
    /// Checks the table: a search finds each entry at its index, and the count is the number of entries.
    package func _checkInvariants() {
      var found = 0
      for index in 0...mask where entries[index].object != nil {
        found += 1
        let key = entries[index].key
        Contract.require(self.index(of: key) == index, "The identity map does not find row \(key), which it has.")
      }
      Contract.require(found == count, "The identity map counts \(count) objects, and has \(found).")
    }
  }
#endif
