import LarderSupport

/// What is shown live in a context.
///
/// Others' commits reach each list by its query. What is pending in the context itself is known only here: the first
/// change of an object since the last save, and each one of an object that is pending when a list is brought up to date.
///
/// Those who go are found gone, and do not sign out: the last reference to an observer may be let go of by any thread.
final class LiveLists: ContextParticipant {
  private struct Member { weak var list: (any LiveListening)? }
  private var members: [Member] = []
  /// How many may be there until it is looked who has gone.
  private var roomy = 16

  /// How often something pending has changed, as far as that is noticed.
  private(set) var changes = 0
  /// Whether there may be somebody who has not been told to look at the end of this turn.
  private var isAnybodyUntold = false

  func add(_ list: any LiveListening) {
    if members.count >= roomy {
      members.removeAll { $0.list == nil }
      roomy = max(16, 2 * members.count)
    }
    members.append(Member(list: list))
    isAnybodyUntold = true
  }

  func pendingWillChange() { changeComes() }
  func pendingDidChange() { changeComes() }
  func didRollBack() { changeComes() }

  /// Something pending changes, or has.
  private func changeComes() {
    changes += 1
    if !isAnybodyUntold { return }
    isAnybodyUntold = false
    for member in members { member.list?.tellOfPending() }
  }

  /// One of them has looked.
  func hasLooked() { isAnybodyUntold = true }

  func processPendingChanges() { look(all: true) }
  func didMerge() { look(all: false) }

  /// - Parameter all: Whether those look, too, that are told by themselves.
  private func look(all: Bool) {
    for member in members { if let list = member.list, all || !list.isToldByItself { list.look() } }
  }
}

/// What is kept up to date in a context.
protocol LiveListening: AnyObject {
  /// Whether it is told, in its own isolation, when there is something to look at.
  var isToldByItself: Bool { get }
  /// Has it look at the end of the turn.
  func tellOfPending()
  /// Brings it up to date, and tells those who observe it.
  func look()
}

/// What leads back to somebody from his query, which any thread may have tell of something.
// @unchecked: set before anybody can be told, and read in his isolation alone.
final class LiveReference: @unchecked Sendable {
  weak var list: (any LiveListening)?
}

extension ContextCore {
  /// What is shown live of the context.
  var liveLists: LiveLists? { participant() }

  /// Has changes of what is pending counted from now on.
  @discardableResult
  func followLive() -> LiveLists {
    if let liveLists { return liveLists }
    let lists = LiveLists()
    add(lists)
    return lists
  }

  /// Enters what is to be kept up to date.
  func add(_ list: any LiveListening) {
    followLive().add(list)
  }

  /// Has changes of what is pending already be told of: setters notice the first change of a property only, and those that
  /// somebody observes.
  ///
  /// - Parameter limit: Above so many objects it is left, since each needs memory for that.
  func watchPending(limit: Int = .max) {
    if known.reduce(0, { $0 + $1.inserted.count + $1.changed.count }) > limit { return }
    for state in known {
      for object in state.inserted + state.changed {
        state.erased(object)._$watch()
      }
    }
  }
}

extension PersistentModel {
  /// Has each change of an object be told of from now on: its setters go the long way.
  func _$watch() {
    let header = _$header
    if header.pointee.status.contains(.watched) { return }
    header.pointee.status.insert(.watched)
    guard header.pointee.registrar == nil else { return }
    let box = RegistrarBox()
    box.isForWatchingAlone = true
    header.pointee.registrar = box
  }
}
