internal import CLarderData
import LarderSupport

/// Leads to an object for as long as it lives, as a weak reference does.
///
/// The first weak reference to an object moves its count of references into memory of its own, and from then on each retain
/// and release goes there: three times the cost, for contexts and stores with every row. This one leaves the object as it
/// was. In return the object owns it, and cuts it at the beginning of its end.
// @unchecked: the address is behind the lock.
final class WeakHandle<Object: AnyObject>: @unchecked Sendable {
  private let lock = SpinLock()
  private var address: UnsafeMutableRawPointer?

  /// Leads nowhere until it is tied.
  init() {}

  /// - Parameter object: Whoever owns this, and will cut it.
  func attach(to object: Object) {
    lock.lock()
    address = Unmanaged.passUnretained(object).toOpaque()
    lock.unlock()
  }

  /// The object, or nil once its last reference has gone.
  var object: Object? {
    lock.lock()
    // While the lock is held the memory is there: cutting waits for it.
    let retained = address.flatMap { swift_tryRetain($0) }
    lock.unlock()
    return retained.map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
  }

  /// Called by the object's `deinit`.
  func invalidate() {
    lock.lock()
    address = nil
    lock.unlock()
  }
}
