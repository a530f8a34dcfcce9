#if DEBUG
  import LarderSupport
  import Synchronization

  /// Invariants of related objects at the end of an operation that touched several of them: a merge of other contexts' saves, a
  /// save, a rollback, an undo step, a deletion. Checked in debug builds.
  ///
  /// Each list that one of the objects has, or is in, is walked once. Lists that are to be read anew are not checked.
  struct OperationInvariants {
    private struct List {
      let owner: any PersistentModel
      let tracker: _EntityTracker
      let relationship: RelationshipLayout
      /// Whether the owner was touched, and not only some of its members.
      var checksAllMembers = false
      var expectedMembers: [any PersistentModel] = []
      var unexpectedMembers: [any PersistentModel] = []
    }

    private let core: _ContextCore
    private var lists: [RelationshipKey: List] = [:]
    private var keys: [RelationshipKey] = []
    private var scannedCount = 0
    /// The maximum number of list elements that are examined after one operation.
    private static let maximumScannedCount = 1 << 15
    /// The maximum number of members that are searched one by one in a list that is not examined as a whole.
    private static let individualSearchLimit = 4

    private init(_ core: _ContextCore) { self.core = core }

    static func check(_ core: _ContextCore, _ touched: [any PersistentModel]) {
      // Rows of a commit that the context has not merged may have been read already.
      let marks = core.relationMarks
      if core.isOrphaned || marks.hasPendingPropagation || core.isMerging || marks.hasReadAhead
        || core.hasRemoteChanges
      {
        return
      }
      var invariants = OperationInvariants(core)
      for model in touched { invariants.addExpectations(of: model) }
      invariants.checkLists()
    }

    private func require(_ isRight: Bool, _ message: @autoclosure () -> String) {
      core._require(isRight, message())
    }

    private mutating func addExpectations(of model: any PersistentModel) {
      guard let tracker = model._$header.pointee.tracker, tracker.core === core, tracker.layout.hasRelations else {
        return
      }
      let isGone = model._$header.pointee.status.contains(.deleted)
      for relationship in tracker.layout.relationships {
        if !isGone {
          tracker._checkChange(model, relationship)
          if relationship.isToMany {
            tracker._checkBase(model, relationship)
            expect(of: model, relationship) { $0.checksAllMembers = true }
          }
        }
        if !relationship.isToMany { addForeignKeyExpectation(of: model, tracker, relationship, isDeleted: isGone) }
      }
    }

    /// Adds the expectation that the list which a to-one's key references contains the object.
    private mutating func addForeignKeyExpectation(
      of model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
      isDeleted isGone: Bool
    ) {
      let key = model._$foreignKey(relationship.property)
      guard case .foreignKey = relationship.storage, key > 0, !isStale(model, tracker),
        let inverse = relationship.inverse,
        let there = core.existingTracker(for: relationship.destinationLayout),
        let owner = there.find(key).map(there.erased)
      else { return }
      let header = owner._$header
      // The row ID may be that of another process's row.
      if header.pointee.status.contains(.inserted), !relationship.isEdited(of: model) { return }
      if inverse.isToMany {
        expect(of: owner, inverse) { list in
          if isGone { list.unexpectedMembers.append(model) } else { list.expectedMembers.append(model) }
        }
      } else if !isGone, relationship.isEdited(of: model), inverse.isEdited(of: owner),
        !header.pointee.status.contains(.deleted)
      {
        require(
          owner._$foreignKey(inverse.property) == model._$header.pointee.rowID,
          "\(tracker.describe(model, relationship)) leads to one that does not lead back")
      }
    }

    private func isStale(_ model: any PersistentModel, _ tracker: _EntityTracker) -> Bool {
      !tracker.root.staleRows.isEmpty && tracker.root.staleRows.contains(model._$header.pointee.rowID)
    }

    /// Records an expectation for a list, unless the list is not in memory or is stale.
    private mutating func expect(
      of owner: any PersistentModel, _ relationship: RelationshipLayout, _ note: (inout List) -> Void
    ) {
      let header = owner._$header
      guard let tracker = header.pointee.tracker, tracker.core === core, !header.pointee.status.contains(.deleted),
        owner._$foreignKey(relationship.property) != 0, !isStale(owner, tracker),
        header.pointee.status.contains(.inserted) || !core.isStale(owner, relationship)
      else { return }
      let place = RelationshipKey(owner, relationship.property)
      if lists[place] == nil {
        lists[place] = List(owner: owner, tracker: tracker, relationship: relationship)
        keys.append(place)
      }
      note(&lists[place, default: List(owner: owner, tracker: tracker, relationship: relationship)])
    }

    private mutating func checkLists() {
      var next = 0
      while next < keys.count, scannedCount < OperationInvariants.maximumScannedCount {
        if let list = lists[keys[next]] { check(list) }
        next += 1
      }
    }

    private mutating func check(_ list: List) {
      let name = list.tracker.describe(list.owner, list.relationship)
      if !list.checksAllMembers,
        list.expectedMembers.count + list.unexpectedMembers.count <= OperationInvariants.individualSearchLimit
      {
        for member in list.expectedMembers + list.unexpectedMembers {
          let isToHold = !member._$header.pointee.status.contains(.deleted)
          require(
            list.owner.hasMember(member, in: list.relationship.property) == isToHold,
            "\(name) \(isToHold ? "lacks" : "holds") \(member._$header.pointee.rowID)")
        }
        return
      }
      guard case .many(let members?) = list.owner._$relationshipValue(list.relationship.property) else { return }
      scannedCount += members.count
      let present = Set(members.map { ObjectIdentifier($0) })
      require(present.count == members.count, "\(name) has one twice")
      for member in list.expectedMembers {
        let row = member._$header.pointee.rowID
        require(present.contains(ObjectIdentifier(member)), "\(name) lacks \(row), which leads to it")
      }
      for member in list.unexpectedMembers {
        let row = member._$header.pointee.rowID
        require(!present.contains(ObjectIdentifier(member)), "\(name) holds \(row), which is deleted")
      }
      guard list.checksAllMembers, let inverse = list.relationship.inverse else { return }
      if inverse.isToMany { return expectInverses(of: list, members, inverse) }
      for member in members where core.isPresent(member) {
        let key = member._$foreignKey(inverse.property)
        let row = list.owner._$header.pointee.rowID
        require(key == row, "\(name) holds \(member._$header.pointee.rowID), which leads to \(key)")
      }
    }
  }

  extension OperationInvariants {
    /// Expects each pair in both lists. Does nothing if one of the lists may be of a commit that has not been merged.
    private mutating func expectInverses(
      of list: List, _ members: [any PersistentModel], _ inverse: RelationshipLayout
    ) {
      if core.relationMarks.generation != core.relationMarks.mergedGeneration, core.hasReadAhead() { return }
      for member in members where core.isPresent(member) {
        scannedCount += 1
        expect(of: member, inverse) { $0.expectedMembers.append(list.owner) }
      }
    }
  }

  extension _ContextCore {
    /// The number of commits that the context's stores have seen.
    var _totalCommitCount: Int { sessions.reduce(0) { $0 + $1.store.commitCount.load(ordering: .acquiring) } }

    /// Asserts an invariant of several related objects.
    ///
    /// The invariant may fail for a moment when another thread, or another process, commits between two reads: each read is of
    /// another commit then, until both are merged.
    func _require(_ isRight: Bool, _ message: @autoclosure () -> String) {
      if isRight || sessions.contains(where: { $0.store.commitThreads.areMultiple }) { return }
      try? pollExternalCommitsNow()
      // Records the commits that have been merged meanwhile.
      _ = hasReadAhead()
      assert(hasRemoteChanges || relationMarks.generation != relationMarks.mergedGeneration, message())
    }
  }

  extension _EntityTracker {
    /// Records that a row was read whose key differs from its object's.
    func recordReadAhead() {
      if !core.isMerging { core.relationMarks.hasReadAhead = true }
    }

    /// Returns the objects of rows, as far as they are in memory.
    func _instances(_ rows: [Int64]) -> [any PersistentModel] { rows.compactMap { find($0).map(erased) } }
    /// The pending objects.
    var _pendingObjects: [any PersistentModel] { (inserted + changed + deleted).map(erased) }
  }
#endif
