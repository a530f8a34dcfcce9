import Observation

/// A test whether the current thread is tracking reads, so that reading an unobserved attribute needs no registrar.
///
/// The runtime does not export this test. The public API has a side effect, though: a registrar's `access` makes the thread's
/// list of tracked accesses retain the key path. So the probe owns a key path that no other object retains, makes its
/// registrar access it, and checks whether it is still the only owner. If it isn't, the thread is tracking. The object that
/// is being read then takes the probe's registrar, which already has the recorded access, and the probe gets a new pair.
/// (A new registrar for the object and an equal key path for the probe would lose updates: the list of accesses is a set.)
///
/// One thread at a time uses a probe: a context has one, and each thread has one for objects without a context.
public class _ObservationProbe {
  private final class Subject: Observable {
    struct Inner { var value = 0 }
    var inner = Inner()
  }

  // One thread at a time uses a probe, and nothing here calls back: exclusivity checks, and retaining the objects that are
  // used, would cost more than the test itself.
  private let subject = Subject()
  @exclusivity(unchecked) private var registrar = _RegistrarBox()
  @exclusivity(unchecked) private var keyPath: KeyPath<Subject, Int>
  @exclusivity(unchecked) private var unretainedKeyPath: Unmanaged<KeyPath<Subject, Int>>

  @usableFromInline
  package init() {
    keyPath = _ObservationProbe.makeKeyPath()
    unretainedKeyPath = .passUnretained(keyPath)
  }

  /// Returns a key path object that no other code retains: appending creates one on the heap.
  @inline(never)
  private static func makeKeyPath() -> KeyPath<Subject, Int> {
    (\Subject.inner).appending(path: \Subject.Inner.value)
  }

  // `inout`, or the registrar, whose type is resilient, would be copied and destroyed for each property that is read.
  @inline(__always)
  private func recordAccess(_ registrar: inout ObservationRegistrar) {
    unretainedKeyPath._withUnsafeGuaranteedRef { registrar.access(subject, keyPath: $0) }
  }

  /// Returns whether the current thread is tracking. If it is, the object that is being read takes the registrar that has the
  /// recorded access.
  @usableFromInline
  @inline(never)
  package func installRegistrarIfTracking(in header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    recordAccess(&registrar.address.pointee)
    if _fastPath(isKnownUniquelyReferenced(&keyPath)) { return false }
    header.pointee.registrar = registrar
    reset()
    return true
  }

  /// Returns whether the current thread is tracking, for an object that has a registrar.
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
