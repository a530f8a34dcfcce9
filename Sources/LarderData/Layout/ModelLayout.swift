import LarderSQLite
public import LarderSupport
import Synchronization

/// The layout of a model's properties in its table, its rows and its object: determined once per type, for every container.
///
/// *Wire order* is the order in which rows are read and written: column 0 is the row ID, column 1 the row's
/// version, then follow the columns that `@Model` recognised as scalars, then those of all other properties. So the macro can
/// write the positions of scalars as constants, independent of the declarations between them.
// @unchecked: everything is written in the initializer, and key paths are immutable.
public final class _ModelLayout: @unchecked Sendable {
  /// A small number by which a context or a container finds its data for this model without hashing.
  @usableFromInline package let id: Int
  package let type: any PersistentModel.Type
  package let entityName: String
  /// The layout of the superclass. Its properties and columns come first in this layout.
  package let base: _ModelLayout?
  /// The number of superclasses.
  @usableFromInline package let depth: Int
  /// The first column of each class, from the topmost down.
  @usableFromInline package let columnOffsets: [Int]
  package let properties: [PropertyLayout]
  /// The columns in wire order, without the two that every table has.
  package let columns: [ColumnLayout]
  /// The columns in the order of the source, which is the order in the table.
  package let declaredColumns: [ColumnLayout]
  /// The groups of columns that are unique together, as indexes of ``columns``; a property's own `.unique` first.
  package let uniqueGroups: [[Int]]
  /// The groups of columns that have an index, as indexes of ``columns``.
  package let indexGroups: [[Int]]
  /// The properties that a uniqueness constraint reads.
  package let uniqueMask: _PropertyMask
  /// The relationships, by the indexes of their properties.
  package let relationships: [RelationshipLayout]
  /// The properties whose changes increment a row's version: those with columns in the model's table or an external value.
  @usableFromInline package let storedMask: _PropertyMask
  /// The properties that are in memory only.
  @usableFromInline package let ephemeralMask: _PropertyMask
  /// The properties whose values are not stored in the row.
  package let outOfRowProperties: [PropertyLayout]
  /// The properties whose values may contain objects.
  let referenceMask: _PropertyMask
  @usableFromInline package let hasRelations: Bool
  /// Columns for the order of this model's objects in a to-many relationship of another model: their names, and the indexes
  /// of the properties that have the foreign key.
  package let orderColumns: [(name: String, property: Int)]
  /// The reason why this model cannot be stored; opening a container with the model throws it.
  package let problem: SwiftDataError?

  /// The properties in the form that observation uses, by their indexes.
  let observedProperties: [ObservedProperty]
  @usableFromInline let codecs: [AnyObject]
  @usableFromInline let firstColumns: [Int]
  private let propertyIndexes: [AnyKeyPath: Int]
  private let relationsByProperty: [RelationshipLayout?]

  /// The position of a relationship without a column in the model's own table.
  private static let noColumn = -1

  private static let nextID = Atomic<Int>(0)

  /// The positions of the row ID and of the version, in wire order.
  @usableFromInline package static let identifierColumn = 0
  @usableFromInline package static let versionColumn = 1
  @usableFromInline package static let firstPropertyColumn = 2

  /// Creates the layout of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - scalars: The class's own properties that `@Model` reads and writes at constant positions, in order.
  ///   - external: The properties whose values are stored outside of the row.
  ///   - ephemeral: The properties whose values are not stored.
  ///   - keyPaths: The key paths of inherited properties, from this class.
  public init<Model: PersistentModel>(
    for type: Model.Type, scalars: [Int], external: [Int] = [], ephemeral: [Int] = [], keyPaths: [AnyKeyPath] = []
  ) {
    id = _ModelLayout.nextID.add(1, ordering: .relaxed).oldValue
    self.type = type
    entityName = Schema.entityName(for: type)
    let base = _ModelLayout.superclass(of: type)
    self.base = base
    depth = base.map { $0.depth + 1 } ?? 0
    columnOffsets = (base?.columnOffsets ?? []) + [_ModelLayout.firstPropertyColumn + (base?.columns.count ?? 0)]
    let beside = OutOfRowProperties(external: Set(external), ephemeral: Set(ephemeral))
    let built = LayoutBuilder.build(type, scalars: scalars, beside, base: base, keyPaths: keyPaths)
    properties = built.properties
    columns = built.columns
    declaredColumns = built.declaredColumns
    uniqueGroups = built.uniqueGroups
    indexGroups = built.indexGroups
    uniqueMask = built.uniqueGroups.joined().reduce(0) { $0 | _ModelLayout.bit(built.columns[$1].property) }
    problem = built.problem
    relationsByProperty = built.relationships
    relationships = built.relationships.compactMap { $0 }
    hasRelations = built.relationships.contains { $0 != nil }
    let external = built.properties.filter { $0.placement.external != nil }
    storedMask = (built.columns.map(\.property) + external.map(\.index)).reduce(0) { $0 | _ModelLayout.bit($1) }
    outOfRowProperties = built.properties.filter { !$0.placement.isRow }
    referenceMask = built.properties.reduce(0) { $0 | ($1.codec.references == .never ? 0 : $1.bit) }
    ephemeralMask =
      built.properties.reduce(0) { $0 | ($1.placement.isEphemeral ? $1.bit : 0) }
      & ~built.properties.reduce(0) { $0 | ($1.placement.isEphemeral ? 0 : $1.bit) }
    orderColumns = built.relationships.compactMap { relationship in
      guard let relationship, case .foreignKey(_, let order?) = relationship.storage else { return nil }
      return (order, relationship.property)
    }
    codecs = built.properties.map(\.codec)
    // Inherited properties are those of the superclass.
    let inherited = base?.observedProperties ?? []
    observedProperties =
      inherited + built.properties.dropFirst(inherited.count).map { ObservedProperty.make($0.keyPath) }
    firstColumns = built.properties.map { property in
      if property.relationship != nil, property.columns.isEmpty { return _ModelLayout.noColumn }
      return property.columns.lowerBound + _ModelLayout.firstPropertyColumn
    }
    propertyIndexes = Dictionary(
      built.properties.flatMap { property in property.keyPaths.map { ($0, property.index) } },
      uniquingKeysWith: { first, _ in first })
    var above = base
    while let one = above {
      one.knownSubclasses.withLock { $0.append(self) }
      above = one.base
    }
  }

  /// The layouts of subclasses created so far; a container creates those of its models when it opens.
  private let knownSubclasses = Locked<[_ModelLayout]>([])
  /// This class and its subclasses in any container of the process.
  package var family: [_ModelLayout] {
    [self] + knownSubclasses.withLock { $0.inOrder { $0.entityName < $1.entityName } }
  }

  /// Returns the same layout for rows in which columns of other classes are in between.
  func layout(withOffsets starts: [Int]) -> _ModelLayout {
    starts == self.columnOffsets ? self : _ModelLayout(reading: self, columnOffsets: starts)
  }

  private init(reading layout: _ModelLayout, columnOffsets starts: [Int]) {
    id = layout.id
    type = layout.type
    entityName = layout.entityName
    base = layout.base
    depth = layout.depth
    self.columnOffsets = starts
    properties = layout.properties
    columns = layout.columns
    declaredColumns = layout.declaredColumns
    uniqueGroups = layout.uniqueGroups
    indexGroups = layout.indexGroups
    uniqueMask = layout.uniqueMask
    problem = layout.problem
    relationsByProperty = layout.relationsByProperty
    relationships = layout.relationships
    hasRelations = layout.hasRelations
    storedMask = layout.storedMask
    ephemeralMask = layout.ephemeralMask
    outOfRowProperties = layout.outOfRowProperties
    referenceMask = layout.referenceMask
    orderColumns = layout.orderColumns
    codecs = layout.codecs
    observedProperties = layout.observedProperties
    propertyIndexes = layout.propertyIndexes
    firstColumns = zip(layout.properties, layout.firstColumns).map { property, column in
      if column == _ModelLayout.noColumn { return column }
      let level = layout.declaringDepth(of: property.index)
      return column - layout.columnOffsets[level] + starts[level]
    }
  }

  /// Returns the codec of a property, with the type of the caller's property.
  @inlinable
  func codec<Value>(_ property: Int, _ type: Value.Type) -> _PropertyCodec<Value> {
    // The builder created the codec from the type of the property's own key path.
    unsafeDowncast(codecs[property], to: _PropertyCodec<Value>.self)
  }

  @inlinable
  func firstColumn(_ property: Int) -> Int { firstColumns[property] }

  /// Returns the property of a key path, if it is a persisted one of this model.
  package func property(_ keyPath: AnyKeyPath) -> PropertyLayout? { propertyIndexes[keyPath].map { properties[$0] } }
  package func property(named name: String) -> PropertyLayout? { properties.first { $0.name == name } }

  /// Returns the relationship of a property, if it is one.
  package func relationship(_ property: Int) -> RelationshipLayout? { relationsByProperty[property] }

  /// Returns the bit of a property in a mask.
  @inlinable
  package static func bit(_ property: Int) -> _PropertyMask { _PropertyMask(index: property) }
  @usableFromInline package static var lastBit: Int { _PropertyMask.lastIndex }

  /// Whether several properties share the last bit.
  var hasSharedBit: Bool { properties.count > _ModelLayout.lastBit + 1 }

  /// Returns whether other properties may share a property's bit.
  static func sharesBit(_ property: Int) -> Bool { property >= lastBit }

  /// Returns the columns of the properties in a mask, in wire order.
  package func columns(in mask: _PropertyMask) -> [ColumnLayout] {
    columns.filter { _ModelLayout.bit($0.property) & mask != 0 }
  }
}

/// One persisted property.
package struct PropertyLayout {
  package let index: Int
  package let name: String
  package let keyPath: AnyKeyPath
  /// The key path from the layout's own class, which differs from the declaring class if the property is inherited.
  package let layoutKeyPath: AnyKeyPath
  package let valueType: any Any.Type
  package let isOptional: Bool
  package let attribute: Schema.Attribute?
  package let defaultValue: Any?
  package let isScalar: Bool
  /// The indexes of its columns in ``_ModelLayout/columns``.
  package let columns: Range<Int>
  package let codec: _AnyPropertyCodec
  /// The relationship; nil for an attribute.
  package let relationship: RelationshipLayout?
  package let placement: PropertyPlacement

  package var bit: _PropertyMask { _ModelLayout.bit(index) }
  package var keyPaths: [AnyKeyPath] { keyPath == layoutKeyPath ? [keyPath] : [keyPath, layoutKeyPath] }
}

/// One column of a model's table.
package struct ColumnLayout {
  package let name: String
  /// The part of the column's name that follows the property's name: empty, or the path to a member.
  package let suffix: String
  package let type: _ColumnType
  package let isOptional: Bool
  package let property: Int
  /// The column's index in ``_ModelLayout/columns``.
  package let index: Int
  /// The order of the column's values, where it differs from that of their stored form.
  package let order: ColumnOrder
  package let form: ColumnForm

  /// The column's position in a row as read.
  package var wireColumn: Int { index + _ModelLayout.firstPropertyColumn }
}

/// The order of a column's values.
package enum ColumnOrder: Sendable {
  /// The order of the stored form: numbers by value, text by bytes.
  case natural
  /// The order of decimal numbers in canonical text: equality is that of the text, order is by value.
  case decimal
}

extension _ModelLayout {
  @inlinable
  func isSame<Value>(_ property: Int, _ left: Value, _ right: Value) -> Bool {
    codec(property, Value.self).isSame(left, right)
  }

  @inlinable
  func isUnchanged<Value>(_ property: Int, _ present: Value, by value: Value) -> Bool {
    codec(property, Value.self).isUnchanged(present, by: value)
  }
}

extension PropertyLayout {
  /// Returns the same property for the layout of a class that inherits it.
  func inherited(keyPath: AnyKeyPath) -> PropertyLayout {
    PropertyLayout(
      index: index, name: name, keyPath: self.keyPath, layoutKeyPath: keyPath, valueType: valueType,
      isOptional: isOptional, attribute: attribute, defaultValue: defaultValue, isScalar: isScalar, columns: columns,
      codec: codec, relationship: relationship, placement: placement)
  }
}
