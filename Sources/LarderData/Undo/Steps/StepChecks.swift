#if DEBUG
  import LarderSupport

  // What was touched since the last step tells all that has changed, checked in debug builds while little is pending.

  extension UndoRecorder {
    /// Each step would take a time that grows with what is pending.
    private static var mostChecked: Int { 64 }

    /// Looks at all that is pending, and whether what the step did not look at is as it was at the end of the last one.
    func _check(_ recording: StepRecording) throws {
      let pending = core.known.reduce(0) { $0 + $1.inserted.count + $1.changed.count + $1.deletedRows.count }
      guard pending <= UndoRecorder.mostChecked else { return }
      let compared = core.comparedObjects
      defer { core.comparedObjects = compared }
      let looked = recording.scope.allPlaces.union(recording.newImages.keys)
      var whole = StepRecording(self, StepScope(self, isWhole: true))
      try whole.run()
      let found = Set(recording.step.changes.map(\._outline))
      for change in whole.step.changes {
        let place = RowPlace(try core.state(for: change.layout), change.row)
        core._require(
          looked.contains(place) || found.contains(change._outline) || touched.hasLater(place),
          "\(change._outline) was not touched, and has changed since the last step: \(found)")
      }
      for place in Set(images.keys).union(whole.newImages.keys)
      where !looked.contains(place) && !touched.hasLater(place) {
        let (known, image) = (images[place], whole.newImages[place])
        core._require(
          known?.mask == image?.mask && known?.lists == image?.lists && known?.inserted === image?.inserted,
          "\(place) was not touched, and is not what it was: \(String(describing: (known, image)))")
      }
    }
  }

  extension ObjectChange {
    fileprivate var _outline: String {
      let lists = lists.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value.before) to \($0.value.after)" }
      let columns = columns.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      let keys = keys.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "\(layout.entityName) \(row) \(existed) \(exists) columns \(columns) keys \(keys) lists \(lists) "
        + "held \(held.keys.sorted())"
    }
  }
#endif
