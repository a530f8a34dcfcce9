import LarderData
import LarderSQLite
import SwiftData
import Testing

@Suite struct CommitObserverTests {
  private final class Observer: TransactionObserver {
    let stage: CommitStage
    private let calls: Counted<[String]>
    private let name: String

    init(_ stage: CommitStage, _ name: String, _ calls: Counted<[String]>) {
      self.stage = stage
      self.name = name
      self.calls = calls
    }

    func willCommit(_ changes: ChangeSet, on connection: Connection) { calls.update { $0.append("will " + name) } }
    func didCommit(_ changes: ChangeSet) { calls.update { $0.append("did " + name) } }
    func didCommitUnknownChanges() { calls.update { $0.append("anything " + name) } }
  }

  @Test(arguments: StoreLocation.allCases)
  func stagesAreCalledInTheirOrder(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let observers = store.container.store.observers
    let calls = Counted<[String]>([])
    let added = [
      Observer(.followers, "follower", calls), Observer(.queries, "query", calls), Observer(.contexts, "one", calls),
      Observer(.contexts, "other", calls),
    ]
    for one in added { observers.add(one) }
    let context = store.context()
    context.insert(Sensor("a"))
    try context.save()
    #expect(
      calls.value == [
        "will follower", "will query", "will one", "will other", "did one", "did other", "did query", "did follower",
      ])
    #expect(!observers.isCommitInFlight)
    for one in added { observers.remove(one) }
    calls.update { $0 = [] }
    context.insert(Sensor("b"))
    try context.save()
    #expect(calls.value == [])
  }

  /// Live queries ask the store themselves as long as a commit is under way.
  @Test func aCommitIsUnderWayUntilQueriesKnowOfIt() throws {
    let store = try TestStore(.memory, Sensor.self)
    let observers = store.container.store.observers
    let seen = Counted<[Bool]>([])
    let hook = CommitHook(observer: { _ in seen.update { $0.append(observers.isCommitInFlight) } })
    observers.add(hook)
    defer { observers.remove(hook) }
    let query = Probe { seen.update { $0.append(observers.isCommitInFlight) } }
    observers.add(query)
    defer { observers.remove(query) }
    let context = store.context()
    context.insert(Sensor("a"))
    try context.save()
    #expect(seen.value == [true, false])
  }

  private final class Probe: CommitObserver {
    let stage = CommitStage.queries
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func didCommit(_ changes: ChangeSet) { body() }
    func didCommitUnknownChanges() {}
  }

  /// A context that saves knows what it has saved.
  @Test func theContextThatSavesIsNotTold() throws {
    let store = try TestStore(.memory, Sensor.self)
    let (here, there) = (store.context(), store.context())
    here.insert(Sensor("a"))
    try here.save()
    #expect(!here.core.remoteChanges.hasChanges)
    #expect(there.core.remoteChanges.hasChanges)
  }

  /// Nothing of what an upsert writes is kept where an observer refuses it.
  @Test(.directly("a data store has no upserts")) func anObserverRefusesAnUpsert() throws {
    struct Refused: Error {}
    let store = try TestStore(.memory, Passport.self)
    let hook = store.container.store.observers.add { _, _ in throw Refused() }
    let context = store.context()
    #expect(throws: Refused.self) {
      try context.container.upsert([1, 2], into: Passport.self, by: \.number) { mapping in
        mapping.set(\.number) { $0 }
        mapping.set(\.holder) { "\($0)" }
        mapping.set(\.issued) { _ in "" }
      }
    }
    #expect(try store.value("SELECT count(*) FROM Passport") == .integer(0))
    #expect(!store.container.store.observers.isCommitInFlight)
    store.container.store.observers.remove(hook)
  }
}
