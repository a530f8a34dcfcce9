import LarderSupport

/// Records edits that a value's own coding makes while a save writes rows: `encode(to:)`, or a value transformer, may run any
/// code.
///
/// A row that is already written does not contain such an edit, so the edit stays pending. To detect it, an object counts as
/// unchanged from the moment before its write: a later edit is recorded like a first edit.
final class ReentrantEdits {
  /// The original values of a property before such an edit.
  typealias OriginalValue = (bit: _PropertyMask, values: [_StoredValue])

  private struct WrittenObject {
    let header: UnsafeMutablePointer<_ModelHeader.Fields>
    /// The properties that counted as changed.
    let mask: _PropertyMask
  }

  // Unchecked: no code runs while an element is appended, and one is appended for each row.
  @exclusivity(unchecked) private var written: [WrittenObject] = []
  /// The properties edited after their row was written, by the objects' headers.
  private var editedMasks: [UnsafeMutablePointer<_ModelHeader.Fields>: _PropertyMask] = [:]
  private var originalsOfInserted: [UnsafeMutablePointer<_ModelHeader.Fields>: [OriginalValue]] = [:]
  /// The number of original values when all rows were written, by the tracker.
  private var entryCounts: [ObjectIdentifier: Int] = [:]
  /// The first relationship that was edited; a relationship is stored in more than one row.
  private var editedRelationship: (entity: String, name: String)?

  /// Whether the values to be saved may run code of the program.
  static func arePossible(in trackers: [_EntityTracker]) -> Bool {
    trackers.contains { tracker in
      !(tracker.changed.isEmpty && tracker.inserted.isEmpty)
        && tracker.layout.columns.contains { $0.form == .json || $0.form == .transformed }
    }
  }

  /// Called before an object is written.
  func willWrite(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) {
    written.append(WrittenObject(header: header, mask: header.pointee.changedMask))
    header.pointee.changedMask = 0
  }

  /// Called before a relationship changes. Keys of rows that are already written cannot wait for the next save, as lists at the
  /// other end have changed with them; keys of new objects are written with those, and join rows after all rows.
  func recordRelationshipChange(
    _ change: RelationshipLayout, of header: UnsafeMutablePointer<_ModelHeader.Fields>, _ layout: _ModelLayout
  ) {
    guard editedRelationship == nil, case .foreignKey = change.storage else { return }
    if header.pointee.status.contains(.inserted), header.pointee.changedMask & change.bit != 0 { return }
    editedRelationship = (layout.entityName, change.name)
  }

  func record(
    _ former: [_StoredValue], ofInserted header: UnsafeMutablePointer<_ModelHeader.Fields>, _ bit: _PropertyMask
  ) {
    originalsOfInserted[header, default: []].append((bit, former))
  }

  /// Ends the recording after all rows are written, or a write has failed.
  ///
  /// - Parameter isWhole: Whether all rows are written; if not, all changes are pending as before.
  func finish(_ entityWriters: [EntityWriter], isComplete isWhole: Bool) throws {
    for one in written {
      let late = one.header.pointee.changedMask
      one.header.pointee.changedMask = one.mask | late
      if late != 0 { editedMasks[one.header] = late }
    }
    for entityWriter in entityWriters {
      entryCounts[ObjectIdentifier(entityWriter.tracker)] = entityWriter.tracker.originalValues.count
    }
    let refusal = isWhole ? saveError(entityWriters) : nil
    if isWhole, refusal == nil { return }
    for entityWriter in entityWriters { revert(entityWriter) }
    if let refusal { throw refusal }
  }

  private func saveError(_ entityWriters: [EntityWriter]) -> SaveError? {
    if let editedRelationship {
      return ReentrantEdits.saveError(
        editedRelationship.entity, editedRelationship.name, "a relationship lies in several rows")
    }
    for entityWriter in entityWriters {
      for union in entityWriter.resolvedUpserts
      where editedMasks[entityWriter.tracker.erased(union.object)._$header] != nil {
        return ReentrantEdits.saveError(
          entityWriter.tracker.layout.entityName, nil, "the object has turned out to be a row that is there")
      }
    }
    return nil
  }

  private static func saveError(_ entity: String, _ property: String?, _ reason: String) -> SaveError {
    let name = property.map { "\(entity).\($0)" } ?? entity
    return SaveError(
      .editedWhileSaving, entityName: entity, properties: property.map { [$0] } ?? [],
      "\(name) was edited by a value's own coding while a save wrote it, which cannot be told apart: \(reason). Edit it before "
        + "the save, and not in encode(to:) or a transformer. Nothing was written.")
  }

  /// Removes the second original value of properties that were already changed: the first one is the stored value.
  private func revert(_ entityWriter: EntityWriter) {
    let tracker = entityWriter.tracker
    guard tracker.originalValues.count > entityWriter.firstReentrantEntry, !editedMasks.isEmpty else { return }
    let before = Dictionary(written.map { ($0.header, $0.mask) }, uniquingKeysWith: { first, _ in first })
    for index in entityWriter.firstReentrantEntry..<tracker.originalValues.count
    where tracker.originalValues[index].bit != 0 {
      let entry = tracker.originalValues[index]
      let header = tracker.erased(tracker.changed[Int(entry.objectIndex)])._$header
      if let mask = before[header], mask & entry.bit != 0 { tracker.originalValues.removeDuplicate(index) }
    }
  }

  // MARK: After the commit

  /// Returns the edits that stay pending after the commit, in their order.
  func unsavedEdits(of entityWriter: EntityWriter) -> [(model: any PersistentModel, former: [OriginalValue])] {
    let tracker = entityWriter.tracker
    guard tracker.originalValues.count > entityWriter.firstReentrantEntry || !originalsOfInserted.isEmpty else {
      return []
    }
    let end = entryCounts[ObjectIdentifier(tracker)] ?? 0
    var objects: [any PersistentModel] = []
    var places: [UnsafeMutablePointer<_ModelHeader.Fields>: Int] = [:]
    var former: [[_PropertyMask: [_StoredValue]]] = []
    func add(_ model: any PersistentModel, _ bit: _PropertyMask, _ values: [_StoredValue]) {
      // Values stored outside the rows, or in other rows, are written after them.
      if bit & tracker.layout.attributeMask == 0 { return }
      let header = model._$header
      if places[header] == nil {
        places[header] = objects.count
        objects.append(model)
        former.append([:])
      }
      // The last of several original values is the written value.
      if let place = places[header] { former[place][bit] = values }
    }
    for index in entityWriter.firstReentrantEntry..<max(entityWriter.firstReentrantEntry, tracker.originalValues.count)
    where tracker.originalValues[index].bit != 0 {
      let entry = tracker.originalValues[index]
      let model = tracker.erased(tracker.changed[Int(entry.objectIndex)])
      let header = model._$header
      if headers.contains(header), index < end, (editedMasks[header] ?? 0) & entry.bit == 0 { continue }
      add(model, entry.bit, tracker.originalValues.values(of: index))
    }
    if !originalsOfInserted.isEmpty {
      for object in tracker.inserted {
        let model = tracker.erased(object)
        for one in originalsOfInserted[model._$header] ?? [] { add(model, one.bit, one.values) }
      }
    }
    return zip(objects, former).map { model, former in (model, former.map { ($0.key, $0.value) }) }
  }

  /// Whether a save has written an object.
  func hasWritten(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool { headers.contains(header) }

  /// The headers of the written objects. Read only if there are such edits.
  private lazy var headers = Set(written.map(\.header))
}

extension _EntityTracker {
  /// Restores edits that a save has not written as pending.
  func restorePending(_ edits: [(model: any PersistentModel, former: [ReentrantEdits.OriginalValue])]) {
    for (model, former) in edits {
      let header = model._$header
      guard header.pointee.tracker === self, header.pointee.status.contains(.stored),
        !header.pointee.status.contains(.deleted)
      else { continue }
      if !header.pointee.status.contains(.changed) {
        header.pointee.status.insert(.changed)
        header.pointee.changedIndex = Int32(truncatingIfNeeded: changed.count)
        changed.append(model)
      }
      for (bit, values) in former {
        originalValues.append(objectIndex: header.pointee.changedIndex, bit: bit, values)
        header.pointee.changedMask |= bit
        dirtyMask |= bit
      }
    }
  }
}
