public import LarderSupport

/// The fields that Larder keeps in every model, in addition to the model's own stored properties.
///
/// `@Model` adds one to the class. It cannot be copied, and its `deinit` removes a released object from its context's
/// identity map, so that the user's class needs no `deinit` of its own.
public struct _ModelHeader: ~Copyable {
  public var fields: Fields

  @inlinable public init() { fields = Fields() }

  @inlinable
  deinit {
    if let table = fields.table, let object = fields.object { table.forget(fields.rowID, object) }
  }
}

extension _ModelHeader {
  @frozen
  public struct Fields {
    /// The row ID. Before the insert it is 0, or a negative number once the program has read the object's identifier.
    @usableFromInline package var rowID: Int64 = 0
    /// The row's version at the last read or write by this context.
    @usableFromInline package var version: Int64 = 0
    /// The context's table of this entity's instances; `nil` outside a context. The context's core lives as long as any of its
    /// objects (see ``_ContextCore``), and the table as long as the core.
    @usableFromInline package unowned(unsafe) var table: _InstanceTable?
    /// The context's probe; `nil` outside a context.
    @usableFromInline package var probe: Unmanaged<_ObservationProbe>?
    /// The object's own address, its value in the identity map.
    @usableFromInline package var object: UnsafeMutableRawPointer?
    /// The changed properties of a stored object; all ones if changes are not recorded.
    public var changedMask: _PropertyMask = ~0
    @usableFromInline package var status: ModelStatus = []
    /// The position of a changed object in its context's list of changed objects.
    @usableFromInline package var changedIndex: Int32 = 0
    /// The observation registrar, created when an observer first tracks this object.
    public var registrar: _RegistrarBox?
    /// The rows that were fetched together with this one; `nil` for models without relationships.
    @usableFromInline package var fetchBatch: FetchBatch?
    /// The identity from before the object left its context: its identifier stays.
    @usableFromInline package var previousIdentity: EntityIdentity?

    @inlinable init() {}
  }
}
