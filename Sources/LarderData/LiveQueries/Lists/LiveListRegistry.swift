import LarderSupport

/// What is shown live in a context.
///
/// Others' commits reach each list by its query. What is pending in the context itself is known only here: the first
/// change of an object since the last save, and each one of an object that is pending when a list is brought up to date.
///
/// Those who go are found gone, and do not sign out: the last reference to an observer may be let go of by any thread.
final class LiveListRegistry: ContextParticipant {
  private struct Member { weak var list: (any LiveListMember)? }
  private var members: [Member] = []
  /// How many may be there until it is looked who has gone.
  private var compactionThreshold = 16

  /// How often something pending has changed, as far as that is noticed.
  private(set) var changeCount = 0
  /// Whether there may be somebody who has not been told to look at the end of this turn.
  private var hasUnnotifiedMembers = false

  func add(_ list: any LiveListMember) {
    if members.count >= compactionThreshold {
      members.removeAll { $0.list == nil }
      compactionThreshold = max(16, 2 * members.count)
    }
    members.append(Member(list: list))
    hasUnnotifiedMembers = true
  }

  func willChange() { recordPendingChange() }
  func pendingObjectsDidChange() { recordPendingChange() }
  func didRollBack() { recordPendingChange() }

  /// Something pending changes, or has.
  private func recordPendingChange() {
    changeCount += 1
    if !hasUnnotifiedMembers { return }
    hasUnnotifiedMembers = false
    for member in members { member.list?.notifyPendingChange() }
  }

  /// One of them has looked.
  func markRefreshed() { hasUnnotifiedMembers = true }

  func processPendingChanges() { refresh(all: true) }
  func didNotifyMerge() { refresh(all: false) }

  /// - Parameter all: Whether those look, too, that are told by themselves.
  private func refresh(all: Bool) {
    for member in members { if let list = member.list, all || !list.notifiesItself { list.refresh() } }
  }
}

/// What is kept up to date in a context.
protocol LiveListMember: AnyObject {
  /// Whether it is told, in its own isolation, when there is something to look at.
  var notifiesItself: Bool { get }
  /// Has it look at the end of the turn.
  func notifyPendingChange()
  /// Brings it up to date, and tells those who observe it.
  func refresh()
}

/// What leads back to somebody from his query, which any thread may have tell of something.
// @unchecked: set before anybody can be told, and read in his isolation alone.
final class WeakLiveList: @unchecked Sendable {
  weak var list: (any LiveListMember)?
}

extension _ContextCore {
  /// What is shown live of the context.
  var liveListRegistry: LiveListRegistry? { participant() }

  /// Has changes of what is pending counted from now on.
  @discardableResult
  func ensureLiveListRegistry() -> LiveListRegistry {
    if let liveListRegistry { return liveListRegistry }
    let lists = LiveListRegistry()
    add(lists)
    return lists
  }

  /// Enters what is to be kept up to date.
  func add(_ list: any LiveListMember) {
    ensureLiveListRegistry().add(list)
  }

  /// Has changes of what is pending already be told of: setters notice the first change of a property only, and those that
  /// somebody observes.
  ///
  /// - Parameter limit: Above so many objects it is left, since each needs memory for that.
  func trackPendingObjects(limit: Int = .max) {
    if trackers.reduce(0, { $0 + $1.inserted.count + $1.changed.count }) > limit { return }
    for tracker in trackers {
      for object in tracker.inserted + tracker.changed {
        tracker.erased(object)._$trackEveryChange()
      }
    }
  }
}

extension PersistentModel {
  /// Has each change of an object be told of from now on: its setters go the long way.
  func _$trackEveryChange() {
    let header = _$header
    if header.pointee.status.contains(.changeTracked) { return }
    header.pointee.status.insert(.changeTracked)
    guard header.pointee.registrar == nil else { return }
    let box = _RegistrarBox()
    box.isForChangeTrackingOnly = true
    header.pointee.registrar = box
  }
}
