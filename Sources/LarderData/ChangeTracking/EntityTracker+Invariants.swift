#if DEBUG
  import LarderSupport

  extension _ContextCore {
    /// Checks the state that the context keeps of its objects, at the end of a save, a rollback, a merge and an undo step.
    ///
    /// A check visits all objects. In a context with many objects only one operation in several is checked, so that debug builds
    /// stay usable.
    func _checkInvariants() {
      let objects = trackers.reduce(0) { $0 + $1.inserted.count + $1.changed.count + $1.deleted.count } + objectCount
      _checks &+= 1
      guard objects <= _ContextCore.alwaysCheckedCount || _checks % (objects / _ContextCore.alwaysCheckedCount) == 0
      else { return }
      for tracker in trackers { tracker._checkInvariants() }
    }

    private static let alwaysCheckedCount = 512
  }

  extension _EntityTracker {
    /// Checks the lists of pending objects, their headers, the mask of changes and the original values against each other,
    /// and the identity map against the objects.
    func _checkInvariants() {
      checkInserted()
      checkChanged()
      checkDeleted()
      originalValues._checkInvariants(objects: changed.count)
      checkOriginalRelationships()
      if topmost == nil { checkInstances() }
    }

    private func checkInserted() {
      for object in inserted {
        let model = erased(object)
        let header = model._$header
        Contract.require(
          header.pointee.status.contains(.inserted) && !header.pointee.status.contains(.changed),
          "\(describe(model)) is among the inserted objects, and its status is \(header.pointee.status.rawValue).")
        checkRegistration(model)
      }
    }

    private func checkChanged() {
      var ended = 0
      var mask: _PropertyMask = 0
      for (place, object) in changed.enumerated() {
        let model = erased(object)
        let header = model._$header
        guard header.pointee.status.contains(.changed) else {
          ended += 1
          continue
        }
        Contract.require(
          header.pointee.status.contains(.stored),
          "\(describe(model)) is among the changed objects, and its status is \(header.pointee.status.rawValue).")
        Contract.require(
          Int(header.pointee.changedIndex) == place,
          "\(describe(model)) is changed object \(place), and its header says \(header.pointee.changedIndex).")
        mask |= header.pointee.changedMask
        var left = header.pointee.changedMask
        while left != 0 {
          let bit = left.first
          left &= ~bit
          Contract.require(
            originalValues.entry(of: Int32(truncatingIfNeeded: place), bit) != nil,
            "\(describe(model)) has changed property \(bit.firstIndex), of which there is no original value.")
        }
        checkRegistration(model)
      }
      Contract.require(
        ended == unchangedCount,
        "\(layout.entityName) has \(ended) objects whose edits have ended, and counts \(unchangedCount)."
      )
      Contract.require(
        mask & ~dirtyMask == 0, "\(layout.entityName) has changed properties that its mask of changes lacks.")
    }

    private func checkDeleted() {
      for object in deleted {
        let model = erased(object)
        Contract.require(
          model._$header.pointee.status.contains(.deleted) && deletedRows.contains(model._$header.pointee.rowID),
          "\(describe(model)) is among the deleted objects, and its row is not to be deleted.")
        checkRegistration(model)
      }
    }

    private func checkRegistration(_ model: any PersistentModel) {
      let header = model._$header
      Contract.require(
        header.pointee.tracker === self, "\(describe(model)) is pending, and belongs to another context.")
      Contract.require(
        find(header.pointee.rowID) === model, "\(describe(model)) is pending, and the identity map has another.")
    }

    private func checkOriginalRelationships() {
      for (place, former) in originalRelationships {
        Contract.require(
          place == RelationshipKey(former.model, former.property),
          "\(describe(former.model)) has an original value of a relationship at another's place.")
      }
    }

    /// Checks the identity map of a hierarchy.
    private func checkInstances() {
      instanceCount.pointee.lock.lock()
      identityMap.pointee._checkInvariants()
      instanceCount.pointee.lock.unlock()
      for row in instanceRows {
        // An object may be released meanwhile, on another thread.
        guard let object = find(row) else { continue }
        let model = erased(object)
        let header = model._$header
        Contract.require(
          header.pointee.rowID == row && header.pointee.tracker?.root === self,
          "\(layout.entityName) \(row) is \(header.pointee.rowID) of another context by its header.")
      }
    }

    private func describe(_ model: any PersistentModel) -> String {
      "\(layout.entityName) \(model._$header.pointee.rowID)"
    }
  }
#endif
