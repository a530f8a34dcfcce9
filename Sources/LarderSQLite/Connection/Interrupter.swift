internal import CSQLite
import LarderSupport

/// An object that interrupts the running statement of a connection, from any thread.
///
/// The statement fails with ``ResultCode/interrupted``. Without a running statement nothing happens.
public final class Interrupter: Sendable {
  // As a bit pattern, since a pointer is not Sendable; 0 once the connection is closed.
  private let handle: Locked<UInt>

  init(_ handle: OpaquePointer) { self.handle = Locked(UInt(bitPattern: handle)) }

  /// Interrupts the running statement.
  public func interrupt() {
    // Under the lock, so that the connection is not closed during the call.
    handle.withLock { if let pointer = OpaquePointer(bitPattern: $0) { sqlite3_interrupt(pointer) } }
  }

  func invalidate() { handle.withLock { $0 = 0 } }
}
