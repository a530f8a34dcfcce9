#if DEBUG
  import LarderSupport

  extension ContextCore {
    /// Checks what the context keeps of its objects, at the end of a save, a rollback, a merge and a step of undo.
    ///
    /// A check goes through all objects. An operation that touches one of many is checked once in so many times, so that
    /// debug builds stay usable with large contexts.
    func _checkInvariants() {
      let objects = known.reduce(0) { $0 + $1.inserted.count + $1.changed.count + $1.deleted.count } + instances
      _checks &+= 1
      guard objects <= ContextCore.fewChecked || _checks % (objects / ContextCore.fewChecked) == 0
      else { return }
      for state in known { state._checkInvariants() }
    }

    private static let fewChecked = 512
  }

  extension EntityState {
    /// Checks the lists of pending objects, their headers, the mask of changes and the original values against each other,
    /// and the identity map against the objects.
    func _checkInvariants() {
      checkInserted()
      checkChanged()
      checkDeleted()
      undo._checkInvariants(objects: changed.count)
      checkFormerRelations()
      if topmost == nil { checkInstances() }
    }

    private func checkInserted() {
      for object in inserted {
        let model = erased(object)
        let header = model._$header
        Contract.require(
          header.pointee.status.contains(.inserted) && !header.pointee.status.contains(.changed),
          "\(named(model)) is among the inserted objects, and its status is \(header.pointee.status.rawValue).")
        checkRegistration(model)
      }
    }

    private func checkChanged() {
      var ended = 0
      var mask: PropertyMask = 0
      for (place, object) in changed.enumerated() {
        let model = erased(object)
        let header = model._$header
        guard header.pointee.status.contains(.changed) else {
          ended += 1
          continue
        }
        Contract.require(
          header.pointee.status.contains(.stored),
          "\(named(model)) is among the changed objects, and its status is \(header.pointee.status.rawValue).")
        Contract.require(
          Int(header.pointee.place) == place,
          "\(named(model)) is changed object \(place), and its header says \(header.pointee.place).")
        mask |= header.pointee.changed
        var left = header.pointee.changed
        while left != 0 {
          let bit = left.first
          left &= ~bit
          Contract.require(
            undo.entry(of: Int32(truncatingIfNeeded: place), bit) != nil,
            "\(named(model)) has changed property \(bit.firstIndex), of which there is no original value.")
        }
        checkRegistration(model)
      }
      Contract.require(
        ended == unchanged, "\(layout.entityName) has \(ended) objects whose edits have ended, and counts \(unchanged)."
      )
      Contract.require(
        mask & ~dirtyMask == 0, "\(layout.entityName) has changed properties that its mask of changes lacks.")
    }

    private func checkDeleted() {
      for object in deleted {
        let model = erased(object)
        Contract.require(
          model._$header.pointee.status.contains(.deleted) && deletedRows.contains(model._$header.pointee.rowID),
          "\(named(model)) is among the deleted objects, and its row is not to be deleted.")
        checkRegistration(model)
      }
    }

    private func checkRegistration(_ model: any PersistentModel) {
      let header = model._$header
      Contract.require(header.pointee.state === self, "\(named(model)) is pending, and belongs to another context.")
      Contract.require(
        find(header.pointee.rowID) === model, "\(named(model)) is pending, and the identity map has another.")
    }

    private func checkFormerRelations() {
      for (place, former) in formerRelations {
        Contract.require(
          place == RelationPlace(former.model, former.property),
          "\(named(former.model)) has an original value of a relationship at another's place.")
      }
    }

    /// Checks the identity map of a hierarchy.
    private func checkInstances() {
      live.pointee.lock.lock()
      instances.pointee._checkInvariants()
      live.pointee.lock.unlock()
      for row in instanceRows {
        // An object may go meanwhile, on another thread.
        guard let object = find(row) else { continue }
        let model = erased(object)
        let header = model._$header
        Contract.require(
          header.pointee.rowID == row && header.pointee.state?.root === self,
          "\(layout.entityName) \(row) is \(header.pointee.rowID) of another context by its header.")
      }
    }

    private func named(_ model: any PersistentModel) -> String {
      "\(layout.entityName) \(model._$header.pointee.rowID)"
    }
  }
#endif
