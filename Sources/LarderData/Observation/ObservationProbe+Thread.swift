#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension _ObservationProbe {
  /// The probe of the current thread, for objects that belong to no context.
  @usableFromInline
  package static var forCurrentThread: _ObservationProbe {
    if let known = pthread_getspecific(threadKey) {
      return Unmanaged<_ObservationProbe>.fromOpaque(known).takeUnretainedValue()
    }
    let probe = _ObservationProbe()
    pthread_setspecific(threadKey, Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// The key of the thread's probe, which is released when the thread ends.
  private static let threadKey: pthread_key_t = {
    var key = pthread_key_t()
    #if canImport(Darwin)
      pthread_key_create(&key) { Unmanaged<_ObservationProbe>.fromOpaque($0).release() }
    #else
      pthread_key_create(&key) { probe in
        if let probe { Unmanaged<_ObservationProbe>.fromOpaque(probe).release() }
      }
    #endif
    return key
  }()
}
