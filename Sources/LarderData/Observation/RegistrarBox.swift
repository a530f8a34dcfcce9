public import Observation

/// A registrar on the heap. `ObservationRegistrar` is a resilient type: stored in every model, it would make reading an
/// attribute several times slower. So an object gets a registrar when it is first observed.
// @unchecked: the registrar is Sendable, and its place never changes.
public final class _RegistrarBox: @unchecked Sendable {
  /// By its address, because a resilient value that is loaded is copied and destroyed at each use.
  @usableFromInline package let address: UnsafeMutablePointer<ObservationRegistrar>

  /// Whether the registrar was made for a change tracker (an undo manager, a live query) and has had no observer.
  // One thread at a time uses an object.
  var isForChangeTrackingOnly = false

  @usableFromInline
  package init() {
    address = .allocate(capacity: 1)
    address.initialize(to: ObservationRegistrar())
  }

  deinit {
    address.deinitialize(count: 1)
    address.deallocate()
  }
}
