// Larder's own.

import LarderSQLite

/// How a record becomes a row: what each property is given, said once for all records of an upsert.
///
/// ```swift
/// let report = try container.upsert(features, into: Quake.self, by: \.code) { quake in
///   quake.set(\.code) { $0.id }
///   quake.set(\.magnitude) { $0.properties.mag }
///   quake.relate(\.network, by: \.code) { $0.properties.net }
///   quake.relate(\.tags, by: \.name) { $0.properties.tags }
/// }
/// ```
///
/// No object is made of a record: values go from it to the statement. A property that is not set has its default value in
/// new rows, computed once for the upsert, and stays as it is in rows that are there.
public struct UpsertMapping<Model: PersistentModel, Record> {
  /// Writes something of a record. The record stays where it is: none is copied for a value of it.
  @usableFromInline typealias RecordBinding = (UnsafePointer<Record>, inout _RowBinder) throws -> Void

  /// Something of a record, as it goes into columns.
  struct ColumnMapping {
    let name: String
    /// Places in the layout.
    let columns: Range<Int>
    /// Binds the columns' values, in their order.
    let bind: RecordBinding
    /// Whether a record's value is nil, where the columns may hold that.
    var isNil: ((UnsafePointer<Record>) throws -> Bool)?
    /// Where the columns hold another model's row.
    var lookup: RelatedRowLookup?

    /// Binds all parts of a record, one after the other. Closures hold the others, three at most each: to go through a list
    /// of parts for each record would copy each part each time.
    static func combined(_ parts: some RandomAccessCollection<ColumnMapping>) -> RecordBinding {
      if parts.count <= 3 { return combined(parts.map(\.bind)) }
      let third = (parts.count + 1) / 3
      return combined([
        combined(parts.prefix(third)), combined(parts.dropFirst(third).prefix(third)),
        combined(parts.dropFirst(2 * third)),
      ])
    }

    private static func combined(_ writings: [RecordBinding]) -> RecordBinding {
      switch writings.count {
      case 0: return { _, _ in }
      case 1: return writings[0]
      case 2:
        let (first, second) = (writings[0], writings[1])
        return { record, binder in
          try first(record, &binder)
          try second(record, &binder)
        }
      default:
        let (first, second, third) = (writings[0], writings[1], writings[2])
        return { record, binder in
          try first(record, &binder)
          try second(record, &binder)
          try third(record, &binder)
        }
      }
    }
  }

  let layout = Model._$layout
  private(set) var columnMappings: [ColumnMapping] = []
  private(set) var joinListMappings: [JoinListMapping<Record>] = []
  /// The first of them that cannot be.
  private(set) var firstError: (any Error)?

  init() {}

  /// Gives a property, or a member of a composite, what a record has for it.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute. Its setter does not run.
  ///   - value: What to set; what it throws makes the record a failure of the report.
  public mutating func set<Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: @escaping (Record) throws -> Value
  ) {
    attempt { mapping in
      let column = try AggregateColumn.find(keyPath, mapping.layout, for: .update)
      guard let codec = column.codec as? _PropertyCodec<Value> else { return }
      mapping.addColumn(column, value) { record, binder in codec.write(try value(record.pointee), to: &binder) }
    }
  }

  /// As ``set(_:to:)-(_,_)``, for scalars: the value goes to its column without a codec between.
  @inlinable
  public mutating func set<Value: _ColumnValue>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: @escaping (Record) throws -> Value
  ) {
    setScalar(keyPath, value) { record, binder in binder.bind(try value(record.pointee)) }
  }

  @usableFromInline
  mutating func setScalar<Value>(
    _ keyPath: PartialKeyPath<Model>, _ value: @escaping (Record) throws -> Value, _ write: @escaping RecordBinding
  ) {
    attempt { mapping in
      mapping.addColumn(try AggregateColumn.find(keyPath, mapping.layout, for: .update), value, write)
    }
  }

  private mutating func addColumn<Value>(
    _ column: AggregateColumn, _ value: @escaping (Record) throws -> Value, _ write: @escaping RecordBinding
  ) {
    var part = ColumnMapping(name: propertyName(of: column), columns: column.columns, bind: write)
    if let type = Value.self as? any NilTestable.Type { part.isNil = { type.isNil(try value($0.pointee)) } }
    addMapping(part)
  }

  /// Relates a row to the model that has a key.
  ///
  /// - Parameters:
  ///   - keyPath: A to-one relationship, whose other end is to-many or none.
  ///   - key: An attribute of the other model that is unique by itself.
  ///   - value: The other's key; nil for none. A key that no saved model has makes the record a failure of the report.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, Other?>, by key: KeyPath<Other, Key>,
    to value: @escaping (Record) throws -> Key?
  ) { relateToOne(keyPath, Other.self, key, value) }

  /// As ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,Other?>,_,_)``, for a relationship that every model has.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, Other>, by key: KeyPath<Other, Key>,
    to value: @escaping (Record) throws -> Key
  ) { relateToOne(keyPath, Other.self, key) { try value($0) } }

  /// Relates a row to the models that have these keys, in their order, and to no others.
  ///
  /// ```swift
  /// try container.upsert(Set(trips.flatMap(\.tags)), into: Tag.self, by: \.name) { $0.set(\.name) { $0 } }
  /// try container.upsert(trips, into: Trip.self, by: \.id) { trip in
  ///   trip.set(\.id) { $0.id }
  ///   trip.relate(\.tags, by: \.name) { $0.tags }
  /// }
  /// ```
  ///
  /// A list that holds what the record says is not written, and nobody is told of it.
  ///
  /// - Parameters:
  ///   - keyPath: A to-many relationship, whose other end is to-many or none.
  ///   - key: An attribute of the other model that is unique by itself.
  ///   - values: The others' keys. One that is named twice is there once; one that no saved model has makes the record a
  ///     failure of the report.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, [Other]>, by key: KeyPath<Other, Key>,
    to values: @escaping (Record) throws -> [Key]
  ) { relateToMany(keyPath, Other.self, key, values) }

  /// As ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,[Other]>,_,_)``, for a list that may be nil.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, [Other]?>, by key: KeyPath<Other, Key>,
    to values: @escaping (Record) throws -> [Key]
  ) { relateToMany(keyPath, Other.self, key, values) }

  private mutating func relateToMany<Other: PersistentModel, Key>(
    _ keyPath: PartialKeyPath<Model>, _ other: Other.Type, _ key: KeyPath<Other, Key>,
    _ values: @escaping (Record) throws -> [Key]
  ) {
    attempt { mapping in
      guard let relationship = mapping.layout.property(keyPath)?.relationship,
        case .joinTable(let table, let isSource) = relationship.storage,
        !relationship.isSymmetric
      else {
        throw mapping.invalidMappingError(
          ReadableKeyPath.text(keyPath, mapping.layout),
          "it is no to-many relationship whose other end is to-many or none. Relate the others to it, or insert objects "
            + "instead")
      }
      let rows = try mapping.makeLookup(Other._$layout, key, for: relationship.name, order: nil)
      guard let codec = rows.codec as? _PropertyCodec<Key> else { return }
      mapping.joinListMappings.removeAll { $0.relationship.property == relationship.property }
      mapping.joinListMappings.append(
        JoinListMapping(relationship, JoinTableStatements(relationship, table, isSource: isSource), rows) {
          record, body in
          for value in try values(record.pointee) { try body(Self.storedKey(value, codec, Other._$layout)) }
        })
    }
  }

  private mutating func relateToOne<Other: PersistentModel, Key>(
    _ keyPath: PartialKeyPath<Model>, _ other: Other.Type, _ key: KeyPath<Other, Key>,
    _ value: @escaping (Record) throws -> Key?
  ) {
    attempt { mapping in
      let (property, rows) = try mapping.resolveToOne(keyPath, Other._$layout, key)
      guard let codec = rows.codec as? _PropertyCodec<Key> else { return }
      let isOptional = property.isOptional
      var part = ColumnMapping(name: property.name, columns: property.columns) { record, binder in
        guard let key = try value(record.pointee) else {
          if !isOptional {
            binder.reportUnstorable("the record names none, and there must be one", at: binder.nextIndex)
          }
          return binder.bindStored(.null)
        }
        let stored = Self.storedKey(key, codec, Other._$layout)
        if let reason = stored.problem { binder.reportUnstorable(reason, at: binder.nextIndex) }
        guard let row = try rows.rowID(forKey: stored.value) else {
          binder.reportUnstorable(rows.missingReason, at: binder.nextIndex)
          return binder.bindStored(.null)
        }
        binder.bindStored(.integer(row))
      }
      part.lookup = rows
      mapping.addMapping(part)
    }
  }

  private func resolveToOne(
    _ keyPath: PartialKeyPath<Model>, _ other: _ModelLayout, _ key: AnyKeyPath
  ) throws -> (PropertyLayout, RelatedRowLookup) {
    guard let property = layout.property(keyPath), let relationship = property.relationship,
      case .foreignKey(_, let order) = relationship.storage, relationship.inverse?.isToMany != false,
      !relationship.isSymmetric
    else {
      throw invalidMappingError(
        ReadableKeyPath.text(keyPath, layout),
        "it is no to-one relationship whose other end is to-many or none. Insert objects instead")
    }
    return (property, try makeLookup(other, key, for: property.name, order: order))
  }

  private func makeLookup(_ other: _ModelLayout, _ key: AnyKeyPath, for name: String, order: String?) throws
    -> RelatedRowLookup
  {
    guard let column = other.property(key), column.columns.count == 1,
      other.uniqueGroups.contains([column.columns.lowerBound])
    else {
      throw invalidMappingError(
        name, "\(ReadableKeyPath.text(key, other)) is no attribute of \(other.entityName) that is unique by itself")
    }
    return RelatedRowLookup(other, column, order: order)
  }

  /// A key as its column holds it, and why it cannot be held.
  private static func storedKey<Key>(
    _ key: Key, _ codec: _PropertyCodec<Key>, _ other: _ModelLayout
  ) -> (value: _StoredValue, problem: String?) {
    let stored = StoredColumns(other) { codec.write(key, to: &$0) }
    return (stored.values.first ?? .null, stored.problem?.reason)
  }

  private func invalidMappingError(_ name: String, _ reason: String) -> SwiftDataError {
    .modelValidationFailure.explained("\(layout.entityName).\(name) cannot be upserted: \(reason).")
  }

  /// The property's, as errors tell it.
  private func propertyName(of column: AggregateColumn) -> String {
    layout.properties[layout.columns[column.columns.lowerBound].property].name
  }

  private mutating func addMapping(_ part: ColumnMapping) {
    columnMappings.removeAll { $0.columns == part.columns }
    columnMappings.append(part)
  }

  /// So that no call needs a `try` of its own: the upsert throws what the first one said.
  private mutating func attempt(_ change: (inout UpsertMapping) throws -> Void) {
    guard firstError == nil else { return }
    do { try change(&self) } catch { firstError = error }
  }
}
