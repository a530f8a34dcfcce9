#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ObservationProbe {
  /// The probe of the current thread, for objects that belong to no context.
  @usableFromInline
  package static var ofThisThread: ObservationProbe {
    if let known = pthread_getspecific(threadKey) {
      return Unmanaged<ObservationProbe>.fromOpaque(known).takeUnretainedValue()
    }
    let probe = ObservationProbe()
    pthread_setspecific(threadKey, Unmanaged.passRetained(probe).toOpaque())
    return probe
  }

  /// A thread's probe is released when the thread ends.
  private static let threadKey: pthread_key_t = {
    var key = pthread_key_t()
    #if canImport(Darwin)
      pthread_key_create(&key) { Unmanaged<ObservationProbe>.fromOpaque($0).release() }
    #else
      pthread_key_create(&key) { probe in
        if let probe { Unmanaged<ObservationProbe>.fromOpaque(probe).release() }
      }
    #endif
    return key
  }()
}
