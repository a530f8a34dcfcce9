import LarderSupport

// What is taken over in the midst of a change, which nobody has asked to see.

/// The versions of objects that somebody is about to change by what he has read of them.
///
/// Before some changes what others have saved is taken over. Where the merge policy is ``MergePolicy/error``, an object that
/// gets other values by that still counts as read as it was before: whoever changes it has decided by what he saw, and his
/// save is to be refused.
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

  /// Has the save find those that have been taken over since.
  func restore() {
    for (model, version) in versions where core.isStoredAndPresent(model) && model._$header.pointee.version != version {
      model._$header.pointee.version = version
      model._$header.pointee.tracker?.markStale(model._$header.pointee.rowID)
    }
  }
}

extension _ContextCore {
  /// Takes over what waits before an object is deleted: what goes along with it is what it leads to by now.
  @inline(__always)
  func mergeRemoteChanges(beforeDeleting deletion: any PersistentModel) {
    guard hasRemoteChanges else { return }
    let (tracker, row) = (deletion._$header.pointee.tracker, deletion._$header.pointee.rowID)
    let seen = VersionSnapshot([deletion], in: self)
    mergeRemoteChangesIfNeeded()
    seen.restore()
    if let tracker, isDeletedRemotely(deletion) { applyDeleteRules(from: row, of: tracker) }
  }

  /// Others have deleted what is to be deleted here, too: what was led to it here follows the delete rule of the relationship, as
  /// it does where others have not.
  ///
  /// - Parameters:
  ///   - gone: Its row.
  ///   - owners: Its model's state.
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
          // The save says so.
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
