internal import CLarderData

/// The values of relationships that end on the current thread, each with the object that held it.
///
/// Down to some depth values end within one another, as they always do. Those further down wait until all that has begun to
/// end has ended: then they end in turn, so that a chain or a tree of any depth needs no more of the stack than a short one.
/// All have ended before the first returns, on the same thread.
@usableFromInline
enum DeferredDeallocation {
  /// The stack of a thread in Swift's pool, 512 KiB, has room for some hundred ends within one another, without optimisation
  /// and with a `deinit` in each class. Few are enough to make the waiting rare.
  static let maximumDepth: Int32 = 16

  @inlinable
  @inline(never)
  static func release<Value>(_ stored: consuming _ValueStorage<Value>.Stored) {
    guard beginRelease() else { return deferRelease(stored.value as Any) }
    stored.value = nil
    endRelease()
  }

  /// - Returns: False where too many are ending already.
  @usableFromInline
  static func beginRelease() -> Bool {
    let thread = larder_endings()
    guard thread.pointee.depth < maximumDepth else { return false }
    thread.pointee.depth += 1
    return true
  }

  @usableFromInline
  static func endRelease() {
    let thread = larder_endings()
    if thread.pointee.depth == 1 { releaseDeferred() }
    thread.pointee.depth -= 1
  }

  /// Holds a value until ``releaseDeferred()``.
  @usableFromInline
  @inline(never)
  static func deferRelease(_ value: Any) {
    let thread = larder_endings()
    if let known = thread.pointee.postponed {
      Unmanaged<DeferredValues>.fromOpaque(known).takeUnretainedValue().values.append(value)
    } else {
      thread.pointee.postponed = Unmanaged.passRetained(DeferredValues(value)).toOpaque()
    }
  }

  private static func releaseDeferred() {
    let thread = larder_endings()
    while let known = thread.pointee.postponed {
      thread.pointee.postponed = nil
      // Each that ends may have others wait, in a list of their own.
      Unmanaged<DeferredValues>.fromOpaque(known).release()
    }
  }

  private final class DeferredValues {
    var values: [Any]
    init(_ value: Any) { values = [value] }
  }
}
