#if DEBUG
  import Foundation
  import LarderModels
  import Testing

  @testable import LarderData
  @testable import LarderSupport

  /// Mistakes that are planted in what a context keeps of its objects are found by the checks of debug builds.
  @Suite struct ContextContractTests {
    private struct Planted {
      let store: TestStore
      let context: ModelContext
      let crates: [Crate]
      var core: _ContextCore { context.core }
      let tracker: _EntityTracker

      /// Two stored crates, of which the first is edited, and a new one.
      init() throws {
        store = try TestStore(.memory, Crate.self)
        context = store.context()
        crates = [1, 2, 3].map { Crate(number: $0) }
        context.insert(crates[0])
        context.insert(crates[1])
        try context.save()
        crates[0].text = "edited"
        context.insert(crates[2])
        tracker = try context.core.tracker(for: Crate._$layout)
      }

      /// What the checks say of a mistake.
      func violations(_ plant: (UnsafeMutablePointer<_ModelHeader.Fields>) -> Void) -> [String] {
        plant(crates[0]._$header)
        return Contract.violations { core._checkInvariants() }
      }
    }

    @Test func contextWithoutMistakesIsSound() throws {
      let planted = try Planted()
      #expect(planted.violations { _ in }.isEmpty)
      try planted.context.save()
      #expect(planted.violations { _ in }.isEmpty)
    }

    @Test func bitWithoutAnOriginalValue() throws {
      let planted = try Planted()
      let bit = _ModelLayout.bit(0)
      let found = planted.violations { header in
        header.pointee.changedMask |= bit
        planted.tracker.dirtyMask |= bit
      }
      #expect(found.count == 1 && found[0].hasSuffix("property 0, of which there is no original value."))
      planted.crates[0]._$header.pointee.changedMask &= ~bit
    }

    @Test func maskOfChangesThatLacksABit() throws {
      let planted = try Planted()
      let mask = planted.tracker.dirtyMask
      let found = planted.violations { _ in planted.tracker.dirtyMask = 0 }
      #expect(found == ["Crate has changed properties that its mask of changes lacks."])
      planted.tracker.dirtyMask = mask
    }

    @Test func originalValueThatIsThereTwice() throws {
      let planted = try Planted()
      let bit = planted.crates[0]._$header.pointee.changedMask
      let found = planted.violations { _ in planted.tracker.originalValues.append(objectIndex: 0, bit: bit, .null) }
      #expect(found.contains { $0.contains("has two original values of the property") })
      planted.tracker.originalValues.removeDuplicate(planted.tracker.originalValues.count - 1)
    }

    @Test func originalValueOfNoObject() throws {
      let planted = try Planted()
      let found = planted.violations { _ in planted.tracker.originalValues.append(objectIndex: 7, bit: 1, .null) }
      #expect(found == ["An original value is of changed object 7, and there are 1."])
      planted.tracker.originalValues.removeDuplicate(planted.tracker.originalValues.count - 1)
    }

    @Test func placeThatIsAnothers() throws {
      let planted = try Planted()
      let found = planted.violations { $0.pointee.changedIndex = 5 }
      #expect(found.count == 1 && found[0].hasSuffix("is changed object 0, and its header says 5."))
      planted.crates[0]._$header.pointee.changedIndex = 0
    }

    @Test func endedEditsThatAreCountedWrong() throws {
      let planted = try Planted()
      let found = planted.violations { _ in planted.tracker.unchangedCount += 1 }
      #expect(found == ["Crate has 0 objects whose edits have ended, and counts 1."])
      planted.tracker.unchangedCount = 0
    }

    @Test func staleEntryOfTheIdentityMap() throws {
      let planted = try Planted()
      let address = Unmanaged.passUnretained(planted.crates[1]).toOpaque()
      let found = planted.violations { _ in planted.tracker.identityMap.pointee.insert(999, address) }
      #expect(found.count == 1 && found[0].hasPrefix("Crate 999 is "))
      _ = planted.tracker.identityMap.pointee.remove(999, address)
    }

    @Test func entryOfTheIdentityMapThatNoSearchFinds() throws {
      let planted = try Planted()
      let map = planted.tracker.identityMap
      let row = planted.crates[1]._$header.pointee.rowID
      // A map cannot be copied, as #require would.
      let entry = map.pointee.index(of: row)
      let place = try #require(entry)
      let found = planted.violations { _ in map.pointee.entries[place].key = 1 << 40 }
      #expect(found.contains("The identity map does not find row \(1 << 40), which it has."))
      map.pointee.entries[place].key = row
    }

    @Test func pendingObjectOfAnotherContext() throws {
      let planted = try Planted()
      let otherContext = planted.store.context()
      let other = try otherContext.core.tracker(for: Crate._$layout)
      let found = planted.violations { $0.pointee.tracker = other }
      #expect(found.contains { $0.hasSuffix("is pending, and belongs to another context.") })
      planted.crates[0]._$header.pointee.tracker = planted.tracker
      withExtendedLifetime(otherContext) {}
    }

    @Test func originalValueOfARelationshipAtAnothersPlace() throws {
      let planted = try Planted()
      let place = RelationshipKey(planted.crates[1], 0)
      let former = OriginalRelationship(
        model: planted.crates[0], property: 0, value: .many(nil), generation: 0, mergedGeneration: 0)
      let found = planted.violations { _ in planted.tracker.originalRelationships[place] = former }
      #expect(found.count == 1 && found[0].hasSuffix("has an original value of a relationship at another's place."))
      planted.tracker.originalRelationships[place] = nil
    }

    @Test func pendingObjectThatTheIdentityMapLacks() throws {
      let planted = try Planted()
      let header = planted.crates[0]._$header
      let address = Unmanaged.passUnretained(planted.crates[0]).toOpaque()
      let found = planted.violations { _ = planted.tracker.identityMap.pointee.remove($0.pointee.rowID, address) }
      #expect(found.count == 1 && found[0].hasSuffix("is pending, and the identity map has another."))
      planted.tracker.identityMap.pointee.insert(header.pointee.rowID, address)
    }

    @Test func deletedObjectWhoseRowStays() throws {
      let planted = try Planted()
      planted.context.delete(planted.crates[1])
      let row = planted.crates[1]._$header.pointee.rowID
      let found = planted.violations { _ in planted.tracker.deletedRows.remove(row) }
      #expect(found.count == 1 && found[0].hasSuffix("is among the deleted objects, and its row is not to be deleted."))
      planted.tracker.deletedRows.insert(row)
    }

    @Test func insertedObjectThatIsStored() throws {
      let planted = try Planted()
      let header = planted.crates[2]._$header
      let found = planted.violations { _ in header.pointee.status = .stored }
      #expect(found.count == 1 && found[0].contains("is among the inserted objects, and its status is"))
      header.pointee.status = .inserted
    }

    /// Each operation ends with a check.
    @Test func operationsAreChecked() throws {
      let planted = try Planted()
      let (context, core) = (planted.context, planted.core)
      func checks(_ operation: () throws -> Void) rethrows -> Int {
        let before = core._checks
        try operation()
        return core._checks - before
      }
      #expect(try checks { try context.save() } > 0)
      planted.crates[0].text = "again"
      #expect(checks { context.rollback() } > 0)
      let other = planted.store.context()
      try other.all(Crate.self).first { $0.number == 2 }?.text = "theirs"
      try other.save()
      #expect(try checks { _ = try context.all(Crate.self) } > 0)
      #expect(planted.crates[1].text == "theirs")
    }

    @Test func stepsOfUndoAreChecked() throws {
      let store = try TestStore(.memory, Crate.self)
      let (context, manager) = store.undoing()
      let crate = Crate(number: 1)
      context.insert(crate)
      try context.save()
      crate.text = "edited"
      context.processPendingChanges()
      let before = context.core._checks
      manager.undo()
      #expect(context.core._checks > before && crate.text != "edited")
    }
  }
#endif
