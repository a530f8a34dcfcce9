#if DEBUG
  import Dispatch
  import Foundation
  import LarderModels
  import Testing

  @testable import LarderData
  @testable import LarderSupport

  /// A context that is used elsewhere than where it belongs is found by the checks of debug builds.
  @Suite struct OwnershipTests {
    // @unchecked: that it is used in another isolation is what is tested; nothing else uses it meanwhile.
    private struct Sent<Value>: @unchecked Sendable {
      let value: Value
    }

    /// What the checks say of what is done with a value on a thread of its own.
    private static func violations<Value>(_ value: Value, _ body: @escaping (Value) throws -> Void) -> [String] {
      let sent = Sent(value: (value, body))
      let found = Counted<[String]>([])
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let violations = Contract.violations { try? sent.value.1(sent.value.0) }
        found.update { $0 = violations }
        done.signal()
      }
      done.wait()
      return found.value
    }

    @MainActor
    @Test func mainContextOnAnotherThread() throws {
      let store = try TestStore(.memory, Crate.self)
      let context = store.container.mainContext
      let crate = Crate(number: 1)
      context.insert(crate)
      try context.save()
      let operations: [(String, (ModelContext) throws -> Void)] = [
        ("save()", { try $0.save() }), ("rollback()", { $0.rollback() }),
        ("A fetch", { _ = try $0.fetch(FetchDescriptor<Crate>()) }),
        ("A fetch", { _ = try $0.fetchCount(FetchDescriptor<Crate>()) }),
        ("processPendingChanges()", { $0.processPendingChanges() }),
      ]
      for (name, operation) in operations {
        let found = Self.violations(context, operation)
        #expect(
          found.first?.hasPrefix("\(name) was called on the context of the main actor from another thread.") == true,
          "\(name): \(found)")
        #expect(Contract.violations { try? operation(context) } == [])
      }
      let found = Self.violations(crate) { $0.text = "edited" }
      #expect(found.first?.hasPrefix("An edit of a model") == true)
    }

    @Test func actorsContextOutsideItsActor() async throws {
      let store = try TestStore(.memory, Crate.self)
      let executor = DefaultSerialModelExecutor(modelContext: store.context())
      let context = executor.modelContext
      let found = Self.violations(context) { _ = try $0.fetchCount(FetchDescriptor<Crate>()) }
      #expect(found.first?.hasPrefix("A fetch was called on the context of a model actor") == true)
      let sent = Sent(value: context)
      let inside = executor.queue.sync {
        Contract.violations { _ = try? sent.value.fetchCount(FetchDescriptor<Crate>()) }
      }
      #expect(inside == [])
    }

    /// Any thread may use a context that belongs to none, as long as no other one is at work there.
    @Test func twoThreadsAtWork() throws {
      let store = try TestStore(.memory, Crate.self)
      let context = store.context()
      #expect(Self.violations(context) { $0.insert(Crate(number: 1)) } == [])
      context.core.deferringNotifications {
        let found = Self.violations(context) { try $0.save() }
        #expect(found.first?.hasPrefix("save() was called on a context in which another thread is at work.") == true)
      }
      #expect(Self.violations(context) { try $0.save() } == [])
    }
  }
#endif
