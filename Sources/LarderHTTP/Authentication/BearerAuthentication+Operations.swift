import LarderSupport

extension BearerAuthentication {
  /// The numbers of the source operations that the current task is part of, by the authentication that they belong to.
  @TaskLocal private static var currentOperations: [ObjectIdentifier: Int] = [:]

  /// Runs an operation on the token source after all earlier operations have ended. A cancelled refresh may still be storing
  /// the token that it received, so it counts as well.
  func runSerially<Value: Sendable>(
    _ number: Int, _ memory: inout CredentialState, _ work: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    // A source may sign in within its own operation. That sign-in cannot wait for the operation.
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

  /// Returns the task to wait for before using the source, or nil within an operation that has not ended.
  func previousOperation(in memory: CredentialState) -> Task<Void, Never>? {
    isWithinOperation(memory) ? nil : memory.lastOperation
  }

  /// Returns whether the current task is part of an operation that has not ended; waiting for the source there would be a
  /// deadlock. A task that the operation started counts as part of it, since nothing shows whether the operation waits for it.
  func isWithinOperation(_ memory: CredentialState) -> Bool {
    Self.currentOperations[ObjectIdentifier(self)].map { memory.runningOperations.contains($0) } ?? false
  }
}
