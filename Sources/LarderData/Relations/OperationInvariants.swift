#if DEBUG
  import LarderSupport
  import Synchronization

  /// What holds of related objects at the end of an operation that has touched several of them: a merge of what others have saved,
  /// a save, a rollback, a step of undo, a deletion. Checked in debug builds.
  ///
  /// Each list that one of them has, or is in, is walked through once. Lists that are to be read anew are left alone.
  struct OperationInvariants {
    private struct List {
      let owner: any PersistentModel
      let state: EntityState
      let relation: RelationLayout
      /// Whether its owner was touched, and not only some of its members.
      var isWhole = false
      var isToHold: [any PersistentModel] = []
      var isNotToHold: [any PersistentModel] = []
    }

    private let core: ContextCore
    private var lists: [RelationPlace: List] = [:]
    private var places: [RelationPlace] = []
    private var steps = 0
    /// So many places of lists are looked at after one operation.
    private static let mostSteps = 1 << 15
    /// So few members are sought one by one in a list that is not looked at as a whole.
    private static let few = 4

    private init(_ core: ContextCore) { self.core = core }

    static func check(_ core: ContextCore, _ touched: [any PersistentModel]) {
      // Rows of a commit that the context has not taken over may have been read already.
      let marks = core.relationMarks
      if core.isOrphan || marks.hasUnspreadDeletions || core.isMerging || marks.hasReadAhead
        || core.hasOthersChanges
      {
        return
      }
      var invariants = OperationInvariants(core)
      for model in touched { invariants.note(model) }
      invariants.checkLists()
    }

    private func require(_ isRight: Bool, _ message: @autoclosure () -> String) {
      core._require(isRight, message())
    }

    private mutating func note(_ model: any PersistentModel) {
      guard let state = model._$header.pointee.state, state.core === core, state.layout.hasRelations else { return }
      let isGone = model._$header.pointee.status.contains(.deleted)
      for relation in state.layout.relations {
        if !isGone {
          state._checkEdit(model, relation)
          if relation.isToMany {
            state._checkShown(model, relation)
            expect(of: model, relation) { $0.isWhole = true }
          }
        }
        if !relation.isToMany { noteKey(of: model, state, relation, isGone: isGone) }
      }
    }

    /// A to-one that has the key says in which list its object is.
    private mutating func noteKey(
      of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, isGone: Bool
    ) {
      let key = model._$key(relation.property)
      guard case .key = relation.form, key > 0, !isLeftBehind(model, state), let inverse = relation.mirrored,
        let there = core.existingState(for: relation.destinationLayout),
        let owner = there.find(key).map(there.erased)
      else { return }
      let header = owner._$header
      // The number may be another program's row's.
      if header.pointee.status.contains(.inserted), !relation.isEdited(of: model) { return }
      if inverse.isToMany {
        expect(of: owner, inverse) { list in
          if isGone { list.isNotToHold.append(model) } else { list.isToHold.append(model) }
        }
      } else if !isGone, relation.isEdited(of: model), inverse.isEdited(of: owner),
        !header.pointee.status.contains(.deleted)
      {
        require(
          owner._$key(inverse.property) == model._$header.pointee.rowID,
          "\(state.named(model, relation)) leads to one that does not lead back")
      }
    }

    private func isLeftBehind(_ model: any PersistentModel, _ state: EntityState) -> Bool {
      !state.root.leftBehind.isEmpty && state.root.leftBehind.contains(model._$header.pointee.rowID)
    }

    /// Notes what is to be in a list, unless that is not in memory, or not as it is by now.
    private mutating func expect(
      of owner: any PersistentModel, _ relation: RelationLayout, _ note: (inout List) -> Void
    ) {
      let header = owner._$header
      guard let state = header.pointee.state, state.core === core, !header.pointee.status.contains(.deleted),
        owner._$key(relation.property) != 0, !isLeftBehind(owner, state),
        header.pointee.status.contains(.inserted) || !core.isOutdated(owner, relation)
      else { return }
      let place = RelationPlace(owner, relation.property)
      if lists[place] == nil {
        lists[place] = List(owner: owner, state: state, relation: relation)
        places.append(place)
      }
      note(&lists[place, default: List(owner: owner, state: state, relation: relation)])
    }

    private mutating func checkLists() {
      var next = 0
      while next < places.count, steps < OperationInvariants.mostSteps {
        if let list = lists[places[next]] { check(list) }
        next += 1
      }
    }

    private mutating func check(_ list: List) {
      let name = list.state.named(list.owner, list.relation)
      if !list.isWhole, list.isToHold.count + list.isNotToHold.count <= OperationInvariants.few {
        for member in list.isToHold + list.isNotToHold {
          let isToHold = !member._$header.pointee.status.contains(.deleted)
          require(
            list.owner.holds(member, in: list.relation.property) == isToHold,
            "\(name) \(isToHold ? "lacks" : "holds") \(member._$header.pointee.rowID)")
        }
        return
      }
      guard case .many(let members?) = list.owner._$relation(list.relation.property) else { return }
      steps += members.count
      let present = Set(members.map { ObjectIdentifier($0) })
      require(present.count == members.count, "\(name) has one twice")
      for member in list.isToHold {
        let row = member._$header.pointee.rowID
        require(present.contains(ObjectIdentifier(member)), "\(name) lacks \(row), which leads to it")
      }
      for member in list.isNotToHold {
        let row = member._$header.pointee.rowID
        require(!present.contains(ObjectIdentifier(member)), "\(name) holds \(row), which is deleted")
      }
      guard list.isWhole, let inverse = list.relation.mirrored else { return }
      if inverse.isToMany { return expectOtherEnds(of: list, members, inverse) }
      for member in members where core.isHere(member) {
        let key = member._$key(inverse.property)
        let row = list.owner._$header.pointee.rowID
        require(key == row, "\(name) holds \(member._$header.pointee.rowID), which leads to \(key)")
      }
    }
  }

  extension OperationInvariants {
    /// A pair is in both lists. One of them may be of a commit that has not been taken over.
    private mutating func expectOtherEnds(
      of list: List, _ members: [any PersistentModel], _ inverse: RelationLayout
    ) {
      if core.relationMarks.generation != core.relationMarks.mergedGeneration, core.mayBeAhead() { return }
      for member in members where core.isHere(member) {
        steps += 1
        expect(of: member, inverse) { $0.isToHold.append(list.owner) }
      }
    }
  }

  extension ContextCore {
    /// How many commits the context's stores have seen.
    var _commitsOfAll: Int { sessions.reduce(0) { $0 + $1.store.commits.load(ordering: .acquiring) } }

    /// Asserts what holds of several objects that are related.
    ///
    /// It may fail for a moment where another thread, or another process, commits between two reads: each is of another commit then,
    /// until both are taken over.
    func _require(_ isRight: Bool, _ message: @autoclosure () -> String) {
      if isRight || sessions.contains(where: { $0.store.committers.areSeveral }) { return }
      try? lookForOthersNow()
      // Notes what has been taken over meanwhile.
      _ = mayBeAhead()
      assert(hasOthersChanges || relationMarks.generation != relationMarks.mergedGeneration, message())
    }
  }

  extension EntityState {
    /// A row was read that leads elsewhere than its object did.
    func noteReadAhead() {
      if !core.isMerging { core.relationMarks.hasReadAhead = true }
    }

    /// The instances of rows, as far as there are some.
    func _instances(_ rows: [Int64]) -> [any PersistentModel] { rows.compactMap { find($0).map(erased) } }
    /// What is pending.
    var _pending: [any PersistentModel] { (inserted + changed + deleted).map(erased) }
  }
#endif
