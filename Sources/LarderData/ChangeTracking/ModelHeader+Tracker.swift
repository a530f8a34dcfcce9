extension _ModelHeader.Fields {
  /// The tracker of the object's entity; `nil` outside a context.
  ///
  /// ``_EntityTracker`` is the one subclass of ``_InstanceTable``.
  @inlinable
  package var tracker: _EntityTracker? {
    @inline(__always) get { table.map { unsafeDowncast($0, to: _EntityTracker.self) } }
    @inline(__always) set { table = newValue }
  }

  /// ``tracker`` for calls that must not count references to it, as each first edit is. The context holds the tracker, the
  /// object belongs to the context, and nothing that an edit does detaches the object.
  @inlinable
  @inline(__always)
  var unretainedTracker: Unmanaged<_EntityTracker>? {
    table.map { Unmanaged.passUnretained(unsafeDowncast($0, to: _EntityTracker.self)) }
  }
}
