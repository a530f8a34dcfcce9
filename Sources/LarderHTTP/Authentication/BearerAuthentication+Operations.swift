import LarderSupport

extension BearerAuthentication {
  /// The numbers of the works, by the authentication that they are of, which the present task is part of.
  @TaskLocal private static var currentOperations: [ObjectIdentifier: Int] = [:]

  /// Does something with the source when all that was begun before has ended: a refresh that was cancelled, too, may
  /// still store what it was given.
  func runSerially<Value: Sendable>(
    _ number: Int, _ memory: inout CredentialState, _ work: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    // A source may sign in itself, within its own work, which it cannot wait for.
    let before = self.previousOperation(in: memory)
    let former = memory.lastOperation
    memory.runningOperations.insert(number)
    let task = Task {
      await before?.value
      var works = Self.currentOperations
      works[ObjectIdentifier(self)] = number
      let value = await Self.$currentOperations.withValue(works) { await work() }
      self.credentials.withLock { _ = $0.runningOperations.remove(number) }
      return value
    }
    memory.lastOperation = Task {
      await former?.value
      _ = await task.value
    }
    return task
  }

  /// What is to be waited for before anything is done with the source; nil within such a work itself.
  func previousOperation(in memory: CredentialState) -> Task<Void, Never>? {
    isWithinOperation(memory) ? nil : memory.lastOperation
  }

  /// Whether the present task is part of a work that has not ended: whoever waits there for the source waits for himself.
  /// A task that the work has begun is taken for part of it, too, since nothing tells whether the work waits for that.
  func isWithinOperation(_ memory: CredentialState) -> Bool {
    Self.currentOperations[ObjectIdentifier(self)].map { memory.runningOperations.contains($0) } ?? false
  }
}
