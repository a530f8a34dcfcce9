public import LarderSupport
public import Observation

/// A class whose instances a container stores.
///
/// Conform by `@Model`:
///
/// ```swift
/// @Model
/// class Trip {
///   @Attribute(.unique) var remoteID: String
///   var name: String
///   var start: Date
///
///   init(remoteID: String, name: String, start: Date) {
///     self.remoteID = remoteID
///     self.name = name
///     self.start = start
///   }
/// }
/// ```
///
/// Members whose names begin with `_$` are for code that the macro generates.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  associatedtype Root: PersistentModel = Self

  /// Creates a model with the values of backing data.
  init(backingData: any BackingData<Self>)
  /// The model's values as backing data. Setting the property assigns the values to the model.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The metadata of the persisted properties, from which the schema is made.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  static var _$layout: _ModelLayout { get }
  var _$header: UnsafeMutablePointer<_ModelHeader.Fields> { get }
  init(_$row row: borrowing _RowReader)
  func _$bind(_ binder: inout _RowBinder, _ mask: _PropertyMask)
  func _$assign(_ row: borrowing _RowReader, _ mask: _PropertyMask)

  // Relationships without their types; the property's index is that of the layout.
  func _$foreignKey(_ property: Int) -> Int64
  func _$relationshipValue(_ property: Int) -> _RelationshipValue
  func _$applyChange(_ property: Int, _ change: _RelationshipChange)

  // The loops over rows, compiled for the model in the model's own module.
  static func _$load(_ rows: _RowCursor, _ table: _InstanceTable, into models: _ModelArrayPointer) throws
  static func _$insertAll(_ table: _InstanceTable, _ rows: _RowInserter) throws
  static func _$updateAll(_ table: _InstanceTable, _ rows: _RowUpdater) throws
}

extension PersistentModel {
  // Defaults for models with scalar properties only.
  public func _$foreignKey(_ property: Int) -> Int64 { 0 }
  public func _$relationshipValue(_ property: Int) -> _RelationshipValue { .none }
  public func _$applyChange(_ property: Int, _ change: _RelationshipChange) {}

  /// The model's identifier: temporary before the insert, permanent from then on.
  public var persistentModelID: PersistentIdentifier {
    let header = _$header
    if header.pointee.rowID == 0 { header.pointee.rowID = EntityIdentity.nextTemporaryKey() }
    let identity =
      header.pointee.table?.identity ?? header.pointee.previousIdentity
      ?? .of(store: nil, entity: type(of: self)._$layout.entityName)
    return PersistentIdentifier(
      identity: identity, key: header.pointee.rowID,
      isSaved: !header.pointee.status.isDisjoint(with: [.stored, .rowMissing]))
  }

  /// The model's ``persistentModelID``.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the model has unsaved changes.
  public var hasChanges: Bool {
    !_$header.pointee.status.isDisjoint(with: [.inserted, .changed, .deleted])
  }

  /// Whether the model is deleted in its context, saved or not.
  public var isDeleted: Bool { !_$header.pointee.status.isDisjoint(with: [.deleted, .rowMissing]) }

  /// Returns whether two models represent the same row.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left.persistentModelID == right.persistentModelID
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(persistentModelID) }
}
