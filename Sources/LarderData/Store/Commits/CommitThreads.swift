#if DEBUG
  import LarderSQLite
  import Synchronization

  /// Whether the commits of a store came from several threads, for debug checks: a reader of several rows and lists may then
  /// find values of different commits.
  final class CommitThreads: Sendable {
    private let lastThread = Atomic<UInt64>(0)
    private let hasSeveral = Atomic<Bool>(false)

    var areMultiple: Bool { hasSeveral.load(ordering: .relaxed) }

    func recordCurrentThread() {
      let thread = OwnedLock.currentThread
      let former = lastThread.exchange(thread, ordering: .relaxed)
      if former != 0, former != thread { hasSeveral.store(true, ordering: .relaxed) }
    }
  }
#endif
