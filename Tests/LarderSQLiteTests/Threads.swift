#if canImport(Glibc)
  import Glibc
#endif

final class Box<Value>: @unchecked Sendable {
  // Guarded by the mutex that its users hold, or used by one thread at a time.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A thread of its own: tests that block must not starve the concurrency pool.
func onThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box<@Sendable () -> Void>>.fromOpaque(argument).takeRetainedValue().value()
      return nil
    }, box.toOpaque())
  return thread
}
