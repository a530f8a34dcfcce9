import LarderSupport

extension BearerAuthentication {
  /// The numbers of the works, by the authentication that they are of, which the present task is part of.
  @TaskLocal private static var works: [ObjectIdentifier: Int] = [:]

  /// Does something with the source when all that was begun before has ended: a refresh that was cancelled, too, may
  /// still store what it was given.
  func inTurn<Value: Sendable>(
    _ number: Int, _ memory: inout TokenMemory, _ work: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    // A source may sign in itself, within its own work, which it cannot wait for.
    let before = self.before(in: memory)
    let former = memory.tail
    memory.running.insert(number)
    let task = Task {
      await before?.value
      var works = Self.works
      works[ObjectIdentifier(self)] = number
      let value = await Self.$works.withValue(works) { await work() }
      self.memory.withLock { _ = $0.running.remove(number) }
      return value
    }
    memory.tail = Task {
      await former?.value
      _ = await task.value
    }
    return task
  }

  /// What is to be waited for before anything is done with the source; nil within such a work itself.
  func before(in memory: TokenMemory) -> Task<Void, Never>? { isWithinWork(memory) ? nil : memory.tail }

  /// Whether the present task is part of a work that has not ended: whoever waits there for the source waits for himself.
  /// A task that the work has begun is taken for part of it, too, since nothing tells whether the work waits for that.
  func isWithinWork(_ memory: TokenMemory) -> Bool {
    Self.works[ObjectIdentifier(self)].map { memory.running.contains($0) } ?? false
  }
}
