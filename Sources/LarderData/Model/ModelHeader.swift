public import LarderSupport

/// What Larder keeps in every model, beside the model's own stored properties.
///
/// `@Model` puts one into the class. It cannot be copied, and when the object goes its `deinit` takes the object out
/// of its context's identity map, so that the user's class needs no `deinit` of its own.
public struct _ModelHeader: ~Copyable {
  public var fields: Fields

  @inlinable public init() { fields = Fields() }

  @inlinable
  deinit {
    if let tracker = fields.tracker, let object = fields.object { tracker.forget(fields.rowID, object) }
  }
}

extension _ModelHeader {
  @frozen
  public struct Fields {
    /// The row's identifier; 0 for an object that nobody has asked for its identifier before the insert, and negative
    /// where somebody has.
    @usableFromInline package var rowID: Int64 = 0
    /// The row's version as it was read or written here.
    @usableFromInline package var version: Int64 = 0
    /// What the context keeps for this model; nil outside a context. The context's core lives as long as any of its
    /// objects (see ``_ContextCore``), and the state as long as the core.
    @usableFromInline package unowned(unsafe) var tracker: _EntityTracker?
    /// The context's probe; nil outside a context.
    @usableFromInline package var probe: Unmanaged<_ObservationProbe>?
    /// The object's own address, by which the identity map knows it.
    @usableFromInline package var object: UnsafeMutableRawPointer?
    /// Of a changed object of the store, the properties that changed; all ones where there is nothing to note.
    public var changedMask: _PropertyMask = ~0
    @usableFromInline package var status: ModelStatus = []
    /// The place of a changed object in its context's list of those.
    @usableFromInline package var changedIndex: Int32 = 0
    /// There once somebody observes this object.
    public var registrar: _RegistrarBox?
    /// The rows that came with this one; nil for models without relationships.
    @usableFromInline package var fetchBatch: FetchBatch?
    /// Where the object belonged before it left its context: its identifier stays.
    @usableFromInline package var previousIdentity: EntityIdentity?

    @inlinable init() {}
  }
}

extension _ModelHeader.Fields {
  /// ``tracker`` for calls that must not count references to it, as each first edit is. Its context holds it, which the
  /// object belongs to, and nothing that an edit notes takes the object out of that.
  @inlinable
  @inline(__always)
  var unretainedTracker: Unmanaged<_EntityTracker>? { tracker.map(Unmanaged.passUnretained) }
}
