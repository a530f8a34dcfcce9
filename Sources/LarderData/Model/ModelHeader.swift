/// What Larder keeps in every model, beside the model's own stored properties.
///
/// `@Model` puts one into the class. It cannot be copied, and when the object goes its `deinit` takes the object out
/// of its context's identity map, so that the user's class needs no `deinit` of its own.
public struct ModelHeader: ~Copyable {
  public var fields: Fields

  @inlinable public init() { fields = Fields() }

  @inlinable
  deinit {
    if let state = fields.state, let object = fields.object { state.forget(fields.rowID, object) }
  }
}

extension ModelHeader {
  public struct Fields {
    /// The row's identifier; 0 for an object that nobody has asked for its identifier before the insert, and negative
    /// where somebody has.
    @usableFromInline package var rowID: Int64 = 0
    /// The row's version as it was read or written here.
    @usableFromInline package var version: Int64 = 0
    /// What the context keeps for this model; nil outside a context. The context's core lives as long as any of its
    /// objects (see ``ContextCore``), and the state as long as the core.
    @usableFromInline package unowned(unsafe) var state: EntityState?
    /// The context's probe; nil outside a context.
    @usableFromInline package var probe: Unmanaged<ObservationProbe>?
    /// The object's own address, by which the identity map knows it.
    @usableFromInline package var object: UnsafeMutableRawPointer?
    /// Of a changed object of the store, the properties that changed; all ones where there is nothing to note.
    public var changed: UInt64 = ~0
    @usableFromInline package var status: ModelStatus = []
    /// The place of a changed object in its context's list of those.
    package var place: Int32 = 0
    /// There once somebody observes this object.
    public var registrar: RegistrarBox?
    /// The rows that came with this one; nil for models without relationships.
    @usableFromInline package var siblings: SiblingList?
    /// Where the object belonged before it left its context: its identifier stays.
    package var formerIdentity: EntityIdentity?

    @inlinable init() {}
  }
}

/// Where an object stands between its context and the store.
@usableFromInline
package struct ModelStatus: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Inserted and not yet saved.
  @usableFromInline package static var inserted: ModelStatus { ModelStatus(rawValue: 1) }
  /// There is a row for it in the store.
  @usableFromInline package static var stored: ModelStatus { ModelStatus(rawValue: 2) }
  /// In its context's list of changed objects.
  @usableFromInline package static var changed: ModelStatus { ModelStatus(rawValue: 4) }
  /// Deleted, and the deletion not yet saved.
  @usableFromInline package static var deleted: ModelStatus { ModelStatus(rawValue: 8) }
  /// Others saved its row while it was being edited, and it took over what was not: its version is that row's, and the
  /// values from before the edit are not.
  @usableFromInline package static var refreshed: ModelStatus { ModelStatus(rawValue: 32) }
  /// Its row is gone; changes to it are dropped.
  @usableFromInline package static var gone: ModelStatus { ModelStatus(rawValue: 16) }
}
