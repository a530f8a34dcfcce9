internal import CLarderData

/// The values of relationships that end on the current thread, each with the object that held it.
///
/// Down to some depth values end within one another, as they always do. Those further down wait until all that has begun to
/// end has ended: then they end in turn, so that a chain or a tree of any depth needs no more of the stack than a short one.
/// All have ended before the first returns, on the same thread.
@usableFromInline
enum EndingValues {
  /// The stack of a thread in Swift's pool, 512 KiB, has room for some hundred ends within one another, without optimisation
  /// and with a `deinit` in each class. Few are enough to make the waiting rare.
  static let deepest: Int32 = 16

  @inlinable
  @inline(never)
  static func end<Value>(_ stored: consuming ValueStorage<Value>.Stored) {
    guard begin() else { return postpone(stored.value as Any) }
    stored.value = nil
    finish()
  }

  /// - Returns: False where too many are ending already.
  @usableFromInline
  static func begin() -> Bool {
    let thread = larder_endings()
    guard thread.pointee.depth < deepest else { return false }
    thread.pointee.depth += 1
    return true
  }

  @usableFromInline
  static func finish() {
    let thread = larder_endings()
    if thread.pointee.depth == 1 { endPostponed() }
    thread.pointee.depth -= 1
  }

  /// Holds a value until ``endPostponed()``.
  @usableFromInline
  @inline(never)
  static func postpone(_ value: Any) {
    let thread = larder_endings()
    if let known = thread.pointee.postponed {
      Unmanaged<Postponed>.fromOpaque(known).takeUnretainedValue().values.append(value)
    } else {
      thread.pointee.postponed = Unmanaged.passRetained(Postponed(value)).toOpaque()
    }
  }

  private static func endPostponed() {
    let thread = larder_endings()
    while let known = thread.pointee.postponed {
      thread.pointee.postponed = nil
      // Each that ends may have others wait, in a list of their own.
      Unmanaged<Postponed>.fromOpaque(known).release()
    }
  }

  private final class Postponed {
    var values: [Any]
    init(_ value: Any) { values = [value] }
  }
}
