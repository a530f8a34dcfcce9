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
      var core: ContextCore { context.core }
      let state: EntityState

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
        state = try context.core.state(for: Crate._$layout)
      }

      /// What the checks say of a mistake.
      func violations(_ plant: (UnsafeMutablePointer<ModelHeader.Fields>) -> Void) -> [String] {
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
      let bit = ModelLayout.bit(0)
      let found = planted.violations { header in
        header.pointee.changed |= bit
        planted.state.dirtyMask |= bit
      }
      #expect(found.count == 1 && found[0].hasSuffix("property 0, of which there is no original value."))
      planted.crates[0]._$header.pointee.changed &= ~bit
    }

    @Test func maskOfChangesThatLacksABit() throws {
      let planted = try Planted()
      let mask = planted.state.dirtyMask
      let found = planted.violations { _ in planted.state.dirtyMask = 0 }
      #expect(found == ["Crate has changed properties that its mask of changes lacks."])
      planted.state.dirtyMask = mask
    }

    @Test func originalValueThatIsThereTwice() throws {
      let planted = try Planted()
      let bit = planted.crates[0]._$header.pointee.changed
      let found = planted.violations { _ in planted.state.undo.append(object: 0, bit: bit, .null) }
      #expect(found.contains { $0.contains("has two original values of the property") })
      planted.state.undo.end(planted.state.undo.count - 1)
    }

    @Test func originalValueOfNoObject() throws {
      let planted = try Planted()
      let found = planted.violations { _ in planted.state.undo.append(object: 7, bit: 1, .null) }
      #expect(found == ["An original value is of changed object 7, and there are 1."])
      planted.state.undo.end(planted.state.undo.count - 1)
    }

    @Test func placeThatIsAnothers() throws {
      let planted = try Planted()
      let found = planted.violations { $0.pointee.place = 5 }
      #expect(found.count == 1 && found[0].hasSuffix("is changed object 0, and its header says 5."))
      planted.crates[0]._$header.pointee.place = 0
    }

    @Test func endedEditsThatAreCountedWrong() throws {
      let planted = try Planted()
      let found = planted.violations { _ in planted.state.unchanged += 1 }
      #expect(found == ["Crate has 0 objects whose edits have ended, and counts 1."])
      planted.state.unchanged = 0
    }

    @Test func staleEntryOfTheIdentityMap() throws {
      let planted = try Planted()
      let address = Unmanaged.passUnretained(planted.crates[1]).toOpaque()
      let found = planted.violations { _ in planted.state.instances.pointee.insert(999, address) }
      #expect(found.count == 1 && found[0].hasPrefix("Crate 999 is "))
      _ = planted.state.instances.pointee.remove(999, address)
    }

    @Test func entryOfTheIdentityMapThatNoSearchFinds() throws {
      let planted = try Planted()
      let map = planted.state.instances
      let row = planted.crates[1]._$header.pointee.rowID
      // A map cannot be copied, as #require would.
      let entry = map.pointee.place(row)
      let place = try #require(entry)
      let found = planted.violations { _ in map.pointee.entries[place].key = 1 << 40 }
      #expect(found.contains("The identity map does not find row \(1 << 40), which it has."))
      map.pointee.entries[place].key = row
    }

    @Test func pendingObjectOfAnotherContext() throws {
      let planted = try Planted()
      let otherContext = planted.store.context()
      let other = try otherContext.core.state(for: Crate._$layout)
      let found = planted.violations { $0.pointee.state = other }
      #expect(found.contains { $0.hasSuffix("is pending, and belongs to another context.") })
      planted.crates[0]._$header.pointee.state = planted.state
      withExtendedLifetime(otherContext) {}
    }

    @Test func originalValueOfARelationshipAtAnothersPlace() throws {
      let planted = try Planted()
      let place = RelationPlace(planted.crates[1], 0)
      let former = FormerRelation(
        model: planted.crates[0], property: 0, value: .many(nil), generation: 0, mergedGeneration: 0)
      let found = planted.violations { _ in planted.state.formerRelations[place] = former }
      #expect(found.count == 1 && found[0].hasSuffix("has an original value of a relationship at another's place."))
      planted.state.formerRelations[place] = nil
    }

    @Test func pendingObjectThatTheIdentityMapLacks() throws {
      let planted = try Planted()
      let header = planted.crates[0]._$header
      let address = Unmanaged.passUnretained(planted.crates[0]).toOpaque()
      let found = planted.violations { _ = planted.state.instances.pointee.remove($0.pointee.rowID, address) }
      #expect(found.count == 1 && found[0].hasSuffix("is pending, and the identity map has another."))
      planted.state.instances.pointee.insert(header.pointee.rowID, address)
    }

    @Test func deletedObjectWhoseRowStays() throws {
      let planted = try Planted()
      planted.context.delete(planted.crates[1])
      let row = planted.crates[1]._$header.pointee.rowID
      let found = planted.violations { _ in planted.state.deletedRows.remove(row) }
      #expect(found.count == 1 && found[0].hasSuffix("is among the deleted objects, and its row is not to be deleted."))
      planted.state.deletedRows.insert(row)
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
