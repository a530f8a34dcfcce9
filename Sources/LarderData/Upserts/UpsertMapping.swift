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
  @usableFromInline typealias Writing = (UnsafePointer<Record>, inout RowBinder) throws -> Void

  /// Something of a record, as it goes into columns.
  struct Part {
    let name: String
    /// Places in the layout.
    let columns: Range<Int>
    /// Binds the columns' values, in their order.
    let write: Writing
    /// Whether a record's value is nil, where the columns may hold that.
    var isNil: ((UnsafePointer<Record>) throws -> Bool)?
    /// Where the columns hold another model's row.
    var related: RelatedRows?

    /// Binds all parts of a record, one after the other. Closures hold the others, three at most each: to go through a list
    /// of parts for each record would copy each part each time.
    static func joined(_ parts: some RandomAccessCollection<Part>) -> Writing {
      if parts.count <= 3 { return joined(parts.map(\.write)) }
      let third = (parts.count + 1) / 3
      return joined([
        joined(parts.prefix(third)), joined(parts.dropFirst(third).prefix(third)), joined(parts.dropFirst(2 * third)),
      ])
    }

    private static func joined(_ writings: [Writing]) -> Writing {
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
  private(set) var parts: [Part] = []
  private(set) var lists: [UpsertList<Record>] = []
  /// The first of them that cannot be.
  private(set) var problem: (any Error)?

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
      guard let codec = column.codec as? PropertyCodec<Value> else { return }
      mapping.add(column, value) { record, binder in codec.write(try value(record.pointee), to: &binder) }
    }
  }

  /// As ``set(_:to:)-(_,_)``, for scalars: the value goes to its column without a codec between.
  @inlinable
  public mutating func set<Value: ColumnValue>(
    _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: @escaping (Record) throws -> Value
  ) {
    setScalar(keyPath, value) { record, binder in binder.bind(try value(record.pointee)) }
  }

  @usableFromInline
  mutating func setScalar<Value>(
    _ keyPath: PartialKeyPath<Model>, _ value: @escaping (Record) throws -> Value, _ write: @escaping Writing
  ) {
    attempt { mapping in
      mapping.add(try AggregateColumn.find(keyPath, mapping.layout, for: .update), value, write)
    }
  }

  private mutating func add<Value>(
    _ column: AggregateColumn, _ value: @escaping (Record) throws -> Value, _ write: @escaping Writing
  ) {
    var part = Part(name: name(column), columns: column.columns, write: write)
    if let type = Value.self as? any NilTestable.Type { part.isNil = { type.isNil(try value($0.pointee)) } }
    add(part)
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
  ) { relate(keyPath, Other.self, key, value) }

  /// As ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,Other?>,_,_)``, for a relationship that every model has.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, Other>, by key: KeyPath<Other, Key>,
    to value: @escaping (Record) throws -> Key
  ) { relate(keyPath, Other.self, key) { try value($0) } }

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
  ) { relateList(keyPath, Other.self, key, values) }

  /// As ``relate(_:by:to:)-(ReferenceWritableKeyPath<Model,[Other]>,_,_)``, for a list that may be nil.
  public mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: ReferenceWritableKeyPath<Model, [Other]?>, by key: KeyPath<Other, Key>,
    to values: @escaping (Record) throws -> [Key]
  ) { relateList(keyPath, Other.self, key, values) }

  private mutating func relateList<Other: PersistentModel, Key>(
    _ keyPath: PartialKeyPath<Model>, _ other: Other.Type, _ key: KeyPath<Other, Key>,
    _ values: @escaping (Record) throws -> [Key]
  ) {
    attempt { mapping in
      guard let relation = mapping.layout.property(keyPath)?.relation,
        case .link(let table, let isSource) = relation.form,
        !relation.isSymmetric
      else {
        throw mapping.refused(
          ReadableKeyPath.text(keyPath, mapping.layout),
          "it is no to-many relationship whose other end is to-many or none. Relate the others to it, or insert objects "
            + "instead")
      }
      let rows = try mapping.rows(Other._$layout, key, for: relation.name, order: nil)
      guard let codec = rows.codec as? PropertyCodec<Key> else { return }
      mapping.lists.removeAll { $0.relation.property == relation.property }
      mapping.lists.append(
        UpsertList(relation, LinkStatements(relation, table, isSource: isSource), rows) { record, body in
          for value in try values(record.pointee) { try body(Self.stored(value, codec, Other._$layout)) }
        })
    }
  }

  private mutating func relate<Other: PersistentModel, Key>(
    _ keyPath: PartialKeyPath<Model>, _ other: Other.Type, _ key: KeyPath<Other, Key>,
    _ value: @escaping (Record) throws -> Key?
  ) {
    attempt { mapping in
      let (property, rows) = try mapping.related(keyPath, Other._$layout, key)
      guard let codec = rows.codec as? PropertyCodec<Key> else { return }
      let isOptional = property.isOptional
      var part = Part(name: property.name, columns: property.columns) { record, binder in
        guard let key = try value(record.pointee) else {
          if !isOptional { binder.fail("the record names none, and there must be one", at: binder.next) }
          return binder.put(.null)
        }
        let stored = Self.stored(key, codec, Other._$layout)
        if let reason = stored.problem { binder.fail(reason, at: binder.next) }
        guard let row = try rows.row(stored.value) else {
          binder.fail(rows.absence, at: binder.next)
          return binder.put(.null)
        }
        binder.put(.integer(row))
      }
      part.related = rows
      mapping.add(part)
    }
  }

  private func related(
    _ keyPath: PartialKeyPath<Model>, _ other: ModelLayout, _ key: AnyKeyPath
  ) throws -> (PropertyLayout, RelatedRows) {
    guard let property = layout.property(keyPath), let relation = property.relation,
      case .key(_, let order) = relation.form, relation.mirrored?.isToMany != false, !relation.isSymmetric
    else {
      throw refused(
        ReadableKeyPath.text(keyPath, layout),
        "it is no to-one relationship whose other end is to-many or none. Insert objects instead")
    }
    return (property, try rows(other, key, for: property.name, order: order))
  }

  private func rows(_ other: ModelLayout, _ key: AnyKeyPath, for name: String, order: String?) throws -> RelatedRows {
    guard let column = other.property(key), column.columns.count == 1,
      other.uniqueGroups.contains([column.columns.lowerBound])
    else {
      throw refused(
        name, "\(ReadableKeyPath.text(key, other)) is no attribute of \(other.entityName) that is unique by itself")
    }
    return RelatedRows(other, column, order: order)
  }

  /// A key as its column holds it, and why it cannot be held.
  private static func stored<Key>(
    _ key: Key, _ codec: PropertyCodec<Key>, _ other: ModelLayout
  ) -> (value: StoredValue, problem: String?) {
    let stored = StoredColumns(other) { codec.write(key, to: &$0) }
    return (stored.values.first ?? .null, stored.problem?.reason)
  }

  private func refused(_ name: String, _ reason: String) -> SwiftDataError {
    .modelValidationFailure.explained("\(layout.entityName).\(name) cannot be upserted: \(reason).")
  }

  /// The property's, as errors tell it.
  private func name(_ column: AggregateColumn) -> String {
    layout.properties[layout.columns[column.columns.lowerBound].property].name
  }

  private mutating func add(_ part: Part) {
    parts.removeAll { $0.columns == part.columns }
    parts.append(part)
  }

  /// So that no call needs a `try` of its own: the upsert throws what the first one said.
  private mutating func attempt(_ change: (inout UpsertMapping) throws -> Void) {
    guard problem == nil else { return }
    do { try change(&self) } catch { problem = error }
  }
}
