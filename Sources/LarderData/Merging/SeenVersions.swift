import LarderSupport

// What is taken over in the midst of a change, which nobody has asked to see.

/// The versions of objects that somebody is about to change by what he has read of them.
///
/// Before some changes what others have saved is taken over. Where the merge policy is ``MergePolicy/error``, an object that
/// gets other values by that still counts as read as it was before: whoever changes it has decided by what he saw, and his
/// save is to be refused.
struct SeenVersions {
  private let core: ContextCore
  private let versions: [(model: any PersistentModel, version: Int64)]

  init(_ models: @autoclosure () -> [any PersistentModel], in core: ContextCore) {
    self.core = core
    guard core.mergePolicy == .error else {
      versions = []
      return
    }
    versions = models().filter(core.isStoredHere).map { ($0, $0._$header.pointee.version) }
  }

  /// Has the save find those that have been taken over since.
  func restore() {
    for (model, version) in versions where core.isStoredHere(model) && model._$header.pointee.version != version {
      model._$header.pointee.version = version
      model._$header.pointee.state?.leaveBehind(model._$header.pointee.rowID)
    }
  }
}

extension ContextCore {
  /// Takes over what waits before an object is deleted: what goes along with it is what it leads to by now.
  @inline(__always)
  func catchUp(before deletion: any PersistentModel) {
    guard hasOthersChanges else { return }
    let (state, row) = (deletion._$header.pointee.state, deletion._$header.pointee.rowID)
    let seen = SeenVersions([deletion], in: self)
    catchUp()
    seen.restore()
    if let state, hasVanished(deletion) { part(from: row, of: state) }
  }

  /// Others have deleted what is to be deleted here, too: what was led to it here follows the delete rule of the relationship, as
  /// it does where others have not.
  ///
  /// - Parameters:
  ///   - gone: Its row.
  ///   - owners: Its model's state.
  private func part(from gone: Int64, of owners: EntityState) {
    func delete<Model: PersistentModel>(_ model: Model) { self.delete(model) }
    for state in known where state.hasChanges {
      for key in state.layout.relations
      where !key.isToMany && owners.layout.inherits(from: key.destinationLayout) {
        guard case .key = key.form else { continue }
        let rule = key.inverse.flatMap { owners.layout.relation($0) }?.deleteRule ?? .nullify
        for model in state.models(state.changed + state.inserted)
        where isHere(model) && model._$key(key.property) == gone && key.isEdited(of: model) {
          switch rule {
          case .cascade: delete(model)
          // The save says so.
          case .deny: break
          case .nullify, .noAction: if key.isOptional { setKey(model, state, key, 0) }
          }
        }
      }
    }
  }

  fileprivate func isStoredHere(_ model: any PersistentModel) -> Bool {
    isHere(model) && model._$header.pointee.status.contains(.stored)
  }
}
