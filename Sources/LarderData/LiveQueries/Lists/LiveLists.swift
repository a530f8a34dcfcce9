/// What is shown live in a context.
///
/// Others' commits reach each list by its query. What is pending in the context itself is known only here: the first
/// change of an object since the last save, and each one of an object that is pending when a list is brought up to date.
final class LiveLists {
  private struct Member { weak var list: (any LiveListening)? }
  private var members: [ObjectIdentifier: Member] = [:]

  /// How often something pending has changed, as far as that is noticed.
  private(set) var changes = 0
  /// Whether the lists have been told to look at the end of this turn.
  private var areTold = false

  func add(_ list: any LiveListening) { members[ObjectIdentifier(list)] = Member(list: list) }
  func remove(_ list: any LiveListening) { members[ObjectIdentifier(list)] = nil }

  /// Something pending changes, or has.
  func changeComes() {
    changes += 1
    if areTold { return }
    areTold = true
    for member in members.values { member.list?.tellOfPending() }
  }

  /// One of them has looked.
  func turnEnded() { areTold = false }

  /// What others saved has been taken over, or somebody wants to see what is pending.
  ///
  /// - Parameter all: Whether those look, too, that are told by themselves.
  func look(all: Bool) {
    for member in members.values { if let list = member.list, all || !list.isToldByItself { list.look() } }
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
  /// Enters what is to be kept up to date.
  func add(_ list: any LiveListening) {
    if liveLists == nil { liveLists = LiveLists() }
    liveLists?.add(list)
  }

  /// What is pending changes, and it was pending already when somebody looked.
  func watchedChangeComes() {
    recorder?.changeComes()
    liveLists?.changeComes()
  }

  /// Has changes of what is pending already be told of: setters notice the first change of a property only, and those that
  /// somebody observes.
  ///
  /// - Parameter limit: Above so many objects it is left, since each needs memory for that.
  func watchPending(limit: Int = .max) {
    if known.reduce(0, { $0 + $1.inserted.count + $1.changed.count }) > limit { return }
    for state in known {
      for object in state.inserted + state.changed {
        let header = state.erased(object)._$header
        header.pointee.status.insert(.watched)
        if header.pointee.registrar == nil { header.pointee.registrar = RegistrarBox() }
      }
    }
  }
}
