internal import CLarderData

/// Releases the values of relationships on the current thread, each with the object that held it.
///
/// Up to a certain depth values are released recursively, as usual. Deeper values are deferred until the outermost release
/// ends, and are then released in turn, so that a chain or a tree of any depth needs no more stack than a short one. All
/// values are released before the outermost release returns, on the same thread.
@usableFromInline
enum DeferredDeallocation {
  /// The maximum depth. The stack of a thread in Swift's pool, 512 KiB, has room for some hundred nested releases, without
  /// optimization and with a `deinit` in each class. A small number is enough to make deferrals rare.
  static let maximumDepth: Int32 = 16

  @inlinable
  @inline(never)
  static func release<Value>(_ stored: consuming _ValueStorage<Value>.Stored) {
    guard beginRelease() else { return deferRelease(stored.value as Any) }
    stored.value = nil
    endRelease()
  }

  /// - Returns: `false` if the maximum depth is reached.
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
      // Each release may defer other values, in a new list.
      Unmanaged<DeferredValues>.fromOpaque(known).release()
    }
  }

  private final class DeferredValues {
    var values: [Any]
    init(_ value: Any) { values = [value] }
  }
}
