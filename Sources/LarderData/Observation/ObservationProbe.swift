import Observation

/// Tells whether the current thread is tracking, so that reading an unobserved attribute costs no registrar.
///
/// The runtime's own question for that is not exported. What is public: a registrar's `access` makes the list of what
/// is being tracked keep the key path that it is given. So the probe owns a key path that nobody else holds, has its
/// registrar access it, and asks whether it is still the only holder; if it isn't, somebody tracks. The object that
/// was being read then takes the probe's registrar for its own, together with what is already noted in it, and the
/// probe gets a fresh pair. (A fresh registrar for the object and an equal key path for the probe would lose updates:
/// the list of accesses is a set.)
///
/// One thread at a time uses a probe: a context has one, and each thread has one for objects without a context.
public class _ObservationProbe {
  private final class Subject: Observable {
    struct Inner { var value = 0 }
    var inner = Inner()
  }

  // One thread at a time uses a probe, and nothing here calls back: checking for overlapping access, and retaining
  // what is used, would cost more than the question itself.
  private let subject = Subject()
  @exclusivity(unchecked) private var registrar = _RegistrarBox()
  @exclusivity(unchecked) private var keyPath: KeyPath<Subject, Int>
  @exclusivity(unchecked) private var unretainedKeyPath: Unmanaged<KeyPath<Subject, Int>>

  @usableFromInline
  package init() {
    keyPath = _ObservationProbe.makeKeyPath()
    unretainedKeyPath = .passUnretained(keyPath)
  }

  /// A key path object of which nobody else knows: appending makes one on the heap.
  @inline(never)
  private static func makeKeyPath() -> KeyPath<Subject, Int> {
    (\Subject.inner).appending(path: \Subject.Inner.value)
  }

  // `inout`, or the registrar, whose type is resilient, would be copied and destroyed for each property that is read.
  @inline(__always)
  private func recordAccess(_ registrar: inout ObservationRegistrar) {
    unretainedKeyPath._withUnsafeGuaranteedRef { registrar.access(subject, keyPath: $0) }
  }

  /// Asks whether the current thread is tracking; if so, the object being read takes over the registrar that knows of
  /// it.
  @usableFromInline
  @inline(never)
  package func installRegistrarIfTracking(in header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    recordAccess(&registrar.address.pointee)
    if _fastPath(isKnownUniquelyReferenced(&keyPath)) { return false }
    header.pointee.registrar = registrar
    reset()
    return true
  }

  /// Asks whether the current thread is tracking, for an object that has a registrar.
  func isTracking() -> Bool {
    recordAccess(&registrar.address.pointee)
    if isKnownUniquelyReferenced(&keyPath) { return false }
    reset()
    return true
  }

  private func reset() {
    registrar = _RegistrarBox()
    keyPath = _ObservationProbe.makeKeyPath()
    unretainedKeyPath = .passUnretained(keyPath)
  }
}
