import Foundation
import LarderSQLite
import LarderSupport
import SwiftData
import Synchronization
import Testing

@testable import LarderData

/// Contexts keep a reading connection for a moment.
@Suite struct LeaseTests {
  /// A read that outlasts the moment gives its connection back as well, though its context reads no more.
  @Test func connectionsOfLongReadsComeBack() throws {
    let store = try TestStore(.disk, Crate.self)
    var contexts: [ModelContext] = []
    for _ in 0..<DatabaseSettings.defaultMaximumReaders {
      let context = store.context()
      contexts.append(context)
      try context.core.sessions[0].read { _ in
        Thread.sleep(forTimeInterval: 1.5 * Double(StoreSession.leaseMilliseconds) / 1_000)
      }
    }
    // With none left this would wait for half a minute, and be refused then.
    let began = ContinuousClock.now
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(ContinuousClock.now - began < .seconds(20))
    withExtendedLifetime(contexts) {}
  }

  /// Saves one after another need no snapshot each to know that no other process has committed.
  @Test(.directly("it counts leases"))
  func savesBeginNoLease() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    let session = context.core.sessions[0]
    let before = session.leaseCounts.begun
    for number in 0..<10 {
      crate.text = "\(number)"
      try context.save()
    }
    #expect(session.leaseCounts.begun == before)

    // What another process commits is looked at.
    let other = ModelContext(try store.asAnotherProcess())
    other.insert(Crate(number: 2))
    try other.save()
    crate.text = "last"
    try context.save()
    #expect(session.leaseCounts.begun > before)
  }

  /// A thread that is woken for each lease costs more than the lease.
  @Test(.directly("it counts timers"))
  func leasesShareATimer() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    let session = context.core.sessions[0]
    let others = store.context()
    let before = session.leaseCounts
    let began = ContinuousClock.now
    for number in 0..<200 {
      others.insert(Crate(number: number))
      try others.save()
      _ = try context.fetchCount(FetchDescriptor<Crate>())
    }
    let moments = (ContinuousClock.now - began) / .milliseconds(StoreSession.leaseMilliseconds)
    // One for each fetch, and one more where a timer came in the midst of a fetch.
    let begun = session.leaseCounts.begun - before.begun
    #expect(begun >= 200 && begun <= 200 + Int(moments) + 1)
    // A timer that comes before the lease of then has ended is set once more, for what is left of it.
    #expect(session.leaseCounts.awaited - before.awaited <= 2 * Int(moments) + 2)
  }

  /// A timer, on a thread of its own, may be the last to let go of a session; others then use the connection that was read with.
  /// The thread sanitizer is the judge here: nothing but the session's own lock orders the two threads.
  @Test func sessionThatATimerIsTheLastToHold() throws {
    let place = try TestStore(.disk, Crate.self)
    // The file is there until the last read.
    defer { withExtendedLifetime(place) {} }
    let store = place.container.store
    for _ in 0..<4 {
      let timer = Timer(store)
      do {
        let session = StoreSession(store: store)
        timer.hold(session)
        try session.countCrates()
      }
      timer.letGo()
    }
  }

  /// Holds a session on a thread of its own, lets go of it, and reads with another one there.
  private final class Timer: Sendable {
    private enum Turn: Int { case idle, held, over, gone }
    private let turn = Atomic<Int>(Turn.idle.rawValue)
    private let store: SQLiteStore

    init(_ store: SQLiteStore) { self.store = store }

    func hold(_ session: StoreSession) {
      let held = Locked<StoreSession?>(session)
      Thread.detachNewThread { [self] in
        var session = held.withLock { session in
          defer { session = nil }
          return session
        }
        let own = StoreSession(store: store)
        next(.held)
        wait(for: .over)
        withExtendedLifetime(session) {}
        session = nil
        #expect(throws: Never.self) { try own.countCrates() }
        next(.gone)
      }
      wait(for: .held)
    }

    func letGo() {
      next(.over)
      wait(for: .gone)
    }

    // Relaxed: they order nothing else that the threads do.
    private func next(_ turn: Turn) { self.turn.store(turn.rawValue, ordering: .relaxed) }
    private func wait(for turn: Turn) { while self.turn.load(ordering: .relaxed) != turn.rawValue { usleep(100) } }
  }

  /// Another process may commit each time that a snapshot is about to be taken.
  @Test(.directly("it is about the history of a file"))
  func aSnapshotHasNoCommitThatWasNotTold() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    _ = try context.fetchCount(FetchDescriptor<Crate>())
    let session = context.core.sessions[0]
    let inbox = RemoteChangeQueue()
    session.store.observers.add(inbox)
    defer { session.store.observers.remove(inbox) }
    let other = ModelContext(try store.asAnotherProcess())
    var commits = 0
    for _ in 0..<3 {
      session.releaseSnapshot()
      session.willTakeSnapshot = {
        commits += 1
        other.insert(Crate(number: commits))
        #expect(throws: Never.self) { try other.save() }
      }
      let seen = try session.read { try $0.int64("SELECT count(*) FROM Crate") }
      session.willTakeSnapshot = nil
      let told = inbox.peek().changes.flatMap(\.entities).reduce(0) { $0 + $1.inserted.count }
      #expect(seen == Int64(told) && told > 0)
    }
  }
}

extension StoreSession {
  fileprivate func countCrates() throws { _ = try read { try $0.int64("SELECT count(*) FROM Crate") } }
}
