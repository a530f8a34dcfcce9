// Larder's own API.

import LarderSQLite

/// A mapping from a record to a row, defined once for all records of an upsert: the value of each property.
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
/// No object is created for a record: values are bound to the statement directly. A property that is not set has its default
/// value in new rows, which is computed once for the upsert; existing rows keep their value.
public struct UpsertMapping<Model: PersistentModel, Record> {
  /// A function that binds values of a record. The record is passed by address, so that it is not copied.
  @usableFromInline typealias RecordBinding = (UnsafePointer<Record>, inout _RowBinder) throws -> Void

  /// The binding of one value to its columns.
  struct ColumnMapping {
    let name: String
    /// The indexes of the columns in the layout.
    let columns: Range<Int>
    /// A function that binds the columns' values, in order.
    let bind: RecordBinding
    /// A function that returns whether a record's value is `nil`, if the columns may hold NULL.
    var isNil: ((UnsafePointer<Record>) throws -> Bool)?
    /// The lookup of the related row, if the column is a foreign key.
    var lookup: RelatedRowLookup?

    /// Returns a function that binds all parts of a record in order. It is a tree of closures with three parts each: iterating
    /// over an array of parts for each record would copy each part each time.
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
  /// The first error of an invalid mapping.
  private(set) var firstError: (any Error)?

  init() {}

  /// Sets a property, or a member of a composite property, to a value of each record.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute to set. Its setter is not called.
  ///   - value: A closure that returns the value for a record. If it throws, the record is a failure in the report.
  public mutating func set<Value>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: @escaping (Record) throws -> Value
  ) {
    attempt { mapping in
      let column = try AggregateColumn.find(keyPath, mapping.layout, for: .update)
      guard let codec = column.codec as? _PropertyCodec<Value> else { return }
      mapping.addColumn(column, value) { record, binder in codec.write(try value(record.pointee), to: &binder) }
    }
  }

  /// Sets a scalar property like ``set(_:to:)-(_,_)``. The value is bound to its column without a codec.
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

  /// Sets a to-one relationship to the model that has the specified key.
  ///
  /// - Parameters:
  ///   - keyPath: A to-one relationship whose inverse is to-many, or that has no inverse.
  ///   - key: An attribute of the other model that is unique by itself.
  ///   - value: A closure that returns the other model's key, or `nil` for no relationship. If no saved model has the key, the
  ///     record is a failure in the report.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, Other?>, by key: KeyPath<Other, Key>,
    to value: @escaping (Record) throws -> Key?
  ) { relateToOne(keyPath, Other.self, key, value) }

  /// Sets a non-optional to-one relationship like ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,Other?>,_,_)``.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, Other>, by key: KeyPath<Other, Key>,
    to value: @escaping (Record) throws -> Key
  ) { relateToOne(keyPath, Other.self, key) { try value($0) } }

  /// Sets a to-many relationship to exactly the models that have the specified keys, in their order.
  ///
  /// ```swift
  /// try container.upsert(Set(trips.flatMap(\.tags)), into: Tag.self, by: \.name) { $0.set(\.name) { $0 } }
  /// try container.upsert(trips, into: Trip.self, by: \.id) { trip in
  ///   trip.set(\.id) { $0.id }
  ///   trip.relate(\.tags, by: \.name) { $0.tags }
  /// }
  /// ```
  ///
  /// A list that already equals the record's is not written, and no observer is notified of it.
  ///
  /// - Parameters:
  ///   - keyPath: A to-many relationship whose inverse is to-many, or that has no inverse.
  ///   - key: An attribute of the other model that is unique by itself.
  ///   - values: A closure that returns the other models' keys. Duplicate keys count once. If no saved model has one of the
  ///     keys, the record is a failure in the report.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, [Other]>, by key: KeyPath<Other, Key>,
    to values: @escaping (Record) throws -> [Key]
  ) { relateToMany(keyPath, Other.self, key, values) }

  /// Sets an optional to-many relationship like ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,[Other]>,_,_)``.
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

  /// Returns a key as its column stores it, and the reason if it cannot be stored.
  private static func storedKey<Key>(
    _ key: Key, _ codec: _PropertyCodec<Key>, _ other: _ModelLayout
  ) -> (value: _StoredValue, problem: String?) {
    let stored = StoredColumns(other) { codec.write(key, to: &$0) }
    return (stored.values.first ?? .null, stored.problem?.reason)
  }

  private func invalidMappingError(_ name: String, _ reason: String) -> SwiftDataError {
    .modelValidationFailure.explained("\(layout.entityName).\(name) cannot be upserted: \(reason).")
  }

  /// Returns the property's name for error messages.
  private func propertyName(of column: AggregateColumn) -> String {
    layout.properties[layout.columns[column.columns.lowerBound].property].name
  }

  private mutating func addMapping(_ part: ColumnMapping) {
    columnMappings.removeAll { $0.columns == part.columns }
    columnMappings.append(part)
  }

  /// Runs a definition and keeps its first error, so that calls need no `try`. The upsert throws that error.
  private mutating func attempt(_ change: (inout UpsertMapping) throws -> Void) {
    guard firstError == nil else { return }
    do { try change(&self) } catch { firstError = error }
  }
}
