import LarderSupport

/// The live lists of a context.
///
/// Commits of other contexts reach each list through the list's query. Pending changes of the context itself are reported
/// here only: the first change of an object since the last save, and every change of an object that was pending when a list
/// was refreshed.
///
/// A released list is found by its weak reference. It does not remove itself: any thread may release the last reference to
/// an observer.
final class LiveListRegistry: ContextParticipant {
  private struct Member { weak var list: (any LiveListMember)? }
  private var members: [Member] = []
  /// The number of members at which released lists are removed.
  private var compactionThreshold = 16

  /// The number of reported changes of pending objects.
  private(set) var changeCount = 0
  /// Whether a list may exist that was not yet notified to refresh at the end of this turn.
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

  /// Records that a pending object has changed or is about to change.
  private func recordPendingChange() {
    changeCount += 1
    if !hasUnnotifiedMembers { return }
    hasUnnotifiedMembers = false
    for member in members { member.list?.notifyPendingChange() }
  }

  /// Records that a list has read the pending changes, so that the next change notifies the lists again.
  func markRefreshed() { hasUnnotifiedMembers = true }

  func processPendingChanges() { refresh(all: true) }
  func didNotifyMerge() { refresh(all: false) }

  /// - Parameter all: Whether to refresh the lists that notify themselves, too.
  private func refresh(all: Bool) {
    for member in members { if let list = member.list, all || !list.notifiesItself { list.refresh() } }
  }
}

/// A list that a context keeps up to date.
protocol LiveListMember: AnyObject {
  /// Whether the list schedules its own refresh, in its own isolation, when it is notified.
  var notifiesItself: Bool { get }
  /// Schedules a refresh at the end of the turn.
  func notifyPendingChange()
  /// Updates the list and notifies its observers.
  func refresh()
}

/// A weak reference from a query's notification closure, which any thread may call, to the query's list.
// @unchecked: set before the first notification, and read only in the list's isolation.
final class WeakLiveList: @unchecked Sendable {
  weak var list: (any LiveListMember)?
}

extension _ContextCore {
  /// The registry of the context's live lists, or `nil` if it has none yet.
  var liveListRegistry: LiveListRegistry? { participant() }

  /// Returns the registry of the context's live lists, creating it if necessary, so that pending changes are counted.
  @discardableResult
  func ensureLiveListRegistry() -> LiveListRegistry {
    if let liveListRegistry { return liveListRegistry }
    let lists = LiveListRegistry()
    add(lists)
    return lists
  }

  /// Registers a list that the context keeps up to date.
  func add(_ list: any LiveListMember) {
    ensureLiveListRegistry().add(list)
  }

  /// Makes every further change of the pending objects notify the context. Otherwise a setter reports only the first change of
  /// a property, and changes of observed properties.
  ///
  /// - Parameter limit: The number of pending objects above which none is tracked, since tracking needs memory for each.
  func trackPendingObjects(limit: Int = .max) {
    if trackers.reduce(0, { $0 + $1.inserted.count + $1.changed.count }) > limit { return }
    for tracker in trackers {
      for object in tracker.inserted + tracker.changed {
        tracker.erased(object)._$trackEveryChange()
      }
    }
  }
}
