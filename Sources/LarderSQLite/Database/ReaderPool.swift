import LarderSupport

/// The idle reading connections of a database.
final class ReaderPool: @unchecked Sendable {
  // Safe to share: the list is accessed only under the mutex, and a reader in it belongs to no thread. The thread that
  // checks it out has it alone.
  private var idle: [ReaderConnection] = []
  private let isClosed = Locked(false)

  enum Checkout {
    case reader(ReaderConnection)
    case empty
    case closed
  }

  func checkOut() -> Checkout {
    isClosed.withLock { isClosed in
      if isClosed { return .closed }
      return idle.popLast().map { .reader($0) } ?? .empty
    }
  }

  /// Returns a reader to the pool.
  ///
  /// - Returns: `false` if the pool is closed; the caller must close the reader.
  func checkIn(_ reader: ReaderConnection) -> Bool {
    isClosed.withLock { isClosed in
      if !isClosed { idle.append(reader) }
      return !isClosed
    }
  }

  func close() {
    let closing = isClosed.withLock { isClosed in
      isClosed = true
      defer { idle.removeAll() }
      return idle
    }
    for reader in closing { reader.connection.close() }
  }
}
