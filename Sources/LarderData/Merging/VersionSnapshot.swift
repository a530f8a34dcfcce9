import LarderSupport

// Merges during a change, whose results the program has not read.

/// The versions of objects that the program is about to change because of the values that it has read.
///
/// Before some changes the commits of other contexts are merged. Under ``MergePolicy/error``, an object that receives other
/// values by such a merge keeps the version that it had before: the program has decided by the former values, and its save
/// must be refused.
struct VersionSnapshot {
  private let core: _ContextCore
  private let versions: [(model: any PersistentModel, version: Int64)]

  init(_ models: @autoclosure () -> [any PersistentModel], in core: _ContextCore) {
    self.core = core
    guard core.mergePolicy == .error else {
      versions = []
      return
    }
    versions = models().filter(core.isStoredAndPresent).map { ($0, $0._$header.pointee.version) }
  }

  /// Restores the versions of objects that were refreshed since, so that the save detects the conflict.
  func restore() {
    for (model, version) in versions where core.isStoredAndPresent(model) && model._$header.pointee.version != version {
      model._$header.pointee.version = version
      model._$header.pointee.tracker?.markStale(model._$header.pointee.rowID)
    }
  }
}

extension _ContextCore {
  /// Merges the waiting commits before an object is deleted, so that the delete rules apply to its current relationships.
  @inline(__always)
  func mergeRemoteChanges(beforeDeleting deletion: any PersistentModel) {
    guard hasRemoteChanges else { return }
    let (tracker, row) = (deletion._$header.pointee.tracker, deletion._$header.pointee.rowID)
    let seen = VersionSnapshot([deletion], in: self)
    mergeRemoteChangesIfNeeded()
    seen.restore()
    if let tracker, isDeletedRemotely(deletion) { applyDeleteRules(from: row, of: tracker) }
  }

  /// Applies the delete rules for an object that another context has deleted, too: objects that reference it here follow the
  /// delete rule of the relationship, as they do without the other deletion.
  ///
  /// - Parameters:
  ///   - gone: The row ID of the object.
  ///   - owners: The tracker of its entity.
  private func applyDeleteRules(from gone: Int64, of owners: _EntityTracker) {
    func delete<Model: PersistentModel>(_ model: Model) { self.delete(model) }
    for tracker in trackers where tracker.hasChanges {
      for key in tracker.layout.relationships
      where !key.isToMany && owners.layout.inherits(from: key.destinationLayout) {
        guard case .foreignKey = key.storage else { continue }
        let rule = key.inverseProperty.flatMap { owners.layout.relationship($0) }?.deleteRule ?? .nullify
        for model in tracker.models(tracker.changed + tracker.inserted)
        where isPresent(model) && model._$foreignKey(key.property) == gone && key.isEdited(of: model) {
          switch rule {
          case .cascade: delete(model)
          // The save throws the error.
          case .deny: break
          case .nullify, .noAction: if key.isOptional { setForeignKey(model, tracker, key, 0) }
          }
        }
      }
    }
  }

  fileprivate func isStoredAndPresent(_ model: any PersistentModel) -> Bool {
    isPresent(model) && model._$header.pointee.status.contains(.stored)
  }
}
