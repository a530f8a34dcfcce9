import LarderSupport

extension BearerAuthentication {
  /// Somebody waits no longer.
  func leave(_ number: Int, with error: HTTPError) {
    let waiter = memory.withLock { memory in
      let waiter = memory.flight?.waiters.removeValue(forKey: number)
      // Who signs in waits for it himself.
      if waiter != nil, let flight = memory.flight, flight.waiters.isEmpty, !flight.isCancelled, flight.watch == nil,
        !flight.isSignIn
      {
        let number = flight.number
        memory.flight?.watch = Task {
          guard (try? await clock.wait(for: Self.abandonedRefreshLimit)) != nil else { return }
          abandon(number)
        }
      }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }

  /// Cancels a refresh that nobody has waited for in time. It stays the one that is on its way until it has ended.
  private func abandon(_ number: Int) {
    let task = memory.withLock { memory -> Task<Void, Never>? in
      guard memory.flight?.number == number, memory.flight?.waiters.isEmpty == true else { return nil }
      memory.flight?.isCancelled = true
      return memory.flight?.task
    }
    task?.cancel()
  }
}
