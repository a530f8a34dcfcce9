#if DEBUG
  import LarderSupport

  // Checks that the rows touched since the last step include all that have changed. Run in debug builds while few are pending.

  extension UndoRecorder {
    /// The maximum number of pending objects for a check: each step would take a time that grows with that number.
    private static var maximumCheckedObjects: Int { 64 }

    /// Examines all pending rows, and checks that the rows which the step did not examine are as at the end of the last step.
    func _checkCompleteness(of recording: StepRecording) throws {
      let pending = core.trackers.reduce(0) { $0 + $1.inserted.count + $1.changed.count + $1.deletedRows.count }
      guard pending <= UndoRecorder.maximumCheckedObjects else { return }
      let compared = core.comparedObjectCount
      defer { core.comparedObjectCount = compared }
      let looked = recording.scope.allRowKeys.union(recording.newImages.keys)
      var whole = StepRecording(self, StepScope(self, includesAllPending: true))
      try whole.recordAll()
      let found = Set(recording.step.changes.map(\._summary))
      for change in whole.step.changes {
        let place = RowKey(try core.tracker(for: change.layout), change.row)
        core._require(
          looked.contains(place) || found.contains(change._summary) || touchedRows.isInNextStep(place),
          "\(change._summary) was not touched, and has changed since the last step: \(found)")
      }
      for place in Set(images.keys).union(whole.newImages.keys)
      where !looked.contains(place) && !touchedRows.isInNextStep(place) {
        let (known, image) = (images[place], whole.newImages[place])
        core._require(
          known?.mask == image?.mask && known?.lists == image?.lists && known?.inserted === image?.inserted,
          "\(place) was not touched, and is not what it was: \(String(describing: (known, image)))")
      }
    }
  }

  extension ObjectChange {
    fileprivate var _summary: String {
      let lists = lists.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value.before) to \($0.value.after)" }
      let columns = columns.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      let keys = foreignKeys.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "\(layout.entityName) \(row) \(existed) \(exists) columns \(columns) keys \(keys) lists \(lists) "
        + "held \(boxedValues.keys.sorted())"
    }
  }
#endif
