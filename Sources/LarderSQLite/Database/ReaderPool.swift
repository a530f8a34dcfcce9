import LarderSupport

/// The readers that nobody uses at the moment.
final class ReaderPool: @unchecked Sendable {
  // Safe to share: the list is touched only under the mutex, and a reader in it belongs to no thread: whoever takes it
  // out has it alone.
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

  /// False when the pool is closed; the reader is then the caller's to close.
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
