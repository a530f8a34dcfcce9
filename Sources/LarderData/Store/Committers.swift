#if DEBUG
  import LarderSQLite
  import Synchronization

  /// Whether the commits of a store came from several threads, for checks of what holds in between: one that reads several rows and
  /// lists may find those of different commits then.
  final class Committers: Sendable {
    private let last = Atomic<UInt64>(0)
    private let several = Atomic<Bool>(false)

    var areSeveral: Bool { several.load(ordering: .relaxed) }

    func note() {
      let thread = OwnedLock.thread
      let former = last.exchange(thread, ordering: .relaxed)
      if former != 0, former != thread { several.store(true, ordering: .relaxed) }
    }
  }
#endif
