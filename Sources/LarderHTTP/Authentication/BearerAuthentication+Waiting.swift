import LarderSupport

extension BearerAuthentication {
  /// Removes a waiting request, and resumes it with an error. A refresh without waiting requests is cancelled later.
  func removeWaiter(_ number: Int, with error: HTTPError) {
    let waiter = credentials.withLock { memory in
      let waiter = memory.inFlightRefresh?.waiters.removeValue(forKey: number)
      // A sign-in is waited for by its own caller.
      if waiter != nil, let flight = memory.inFlightRefresh, flight.waiters.isEmpty, !flight.isCancelled,
        flight.abandonmentTimer == nil,
        !flight.isSignIn
      {
        let number = flight.id
        memory.inFlightRefresh?.abandonmentTimer = Task {
          guard (try? await clock.wait(for: Self.abandonedRefreshLimit)) != nil else { return }
          cancelAbandonedRefresh(number)
        }
      }
      return waiter
    }
    waiter?.resume(returning: .failure(error))
  }

  /// Cancels a refresh for which no request has waited for the whole limit. It stays in flight until it has ended.
  private func cancelAbandonedRefresh(_ number: Int) {
    let task = credentials.withLock { memory -> Task<Void, Never>? in
      guard memory.inFlightRefresh?.id == number, memory.inFlightRefresh?.waiters.isEmpty == true else { return nil }
      memory.inFlightRefresh?.isCancelled = true
      return memory.inFlightRefresh?.task
    }
    task?.cancel()
  }
}
