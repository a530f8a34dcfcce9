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
    let seen = SeenVersions([deletion], in: self)
    catchUp()
    seen.restore()
  }

  fileprivate func isStoredHere(_ model: any PersistentModel) -> Bool {
    isHere(model) && model._$header.pointee.status.contains(.stored)
  }
}
