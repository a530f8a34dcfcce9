internal import CLarderData
import LarderSupport

/// A reference to an object that does not keep it alive, like a weak reference.
///
/// The first weak reference to an object moves its reference count into separate memory. From then on each retain and
/// release goes there: three times the cost, for contexts and stores with every row. This handle leaves the object
/// unchanged. In return the object owns the handle, and invalidates it at the start of its `deinit`.
// @unchecked: the address is guarded by the lock.
final class WeakHandle<Object: AnyObject>: @unchecked Sendable {
  private let lock = SpinLock()
  private var address: UnsafeMutableRawPointer?

  /// Creates a handle without an object; call `attach(to:)` next.
  init() {}

  /// Attaches the handle to an object.
  ///
  /// - Parameter object: The object that owns this handle, and will invalidate it.
  func attach(to object: Object) {
    lock.lock()
    address = Unmanaged.passUnretained(object).toOpaque()
    lock.unlock()
  }

  /// The object, or nil after its last strong reference is gone.
  var object: Object? {
    lock.lock()
    // While the lock is held the object's memory exists: `invalidate()` waits for the lock.
    let retained = address.flatMap { swift_tryRetain($0) }
    lock.unlock()
    return retained.map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
  }

  /// Clears the reference. Called by the object's `deinit`.
  func invalidate() {
    lock.lock()
    address = nil
    lock.unlock()
  }
}
