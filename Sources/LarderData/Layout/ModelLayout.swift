import LarderSQLite
public import LarderSupport
import Synchronization

/// How a model's properties lie in its table, its rows and its object: worked out once per type, for every container.
///
/// *Wire order* is the order in which rows are read and written: column 0 is the row's identifier, column 1 its
/// version, then come the columns that `@Model` could see to be scalars, then those of all other properties. Scalars
/// therefore have places that the macro can write as constants, whatever stands between them in the source.
// @unchecked: everything is written in the initializer, and key paths are immutable.
public final class _ModelLayout: @unchecked Sendable {
  /// A small number that finds what a context or a container keeps for this model without hashing.
  @usableFromInline package let id: Int
  package let type: any PersistentModel.Type
  package let entityName: String
  /// The layout of the class that this one inherits from. Its properties and columns come first in this one.
  package let base: _ModelLayout?
  /// How many classes are above this one.
  @usableFromInline package let depth: Int
  /// Where the columns of each class begin, from the topmost down.
  @usableFromInline package let columnOffsets: [Int]
  package let properties: [PropertyLayout]
  /// The columns in wire order, without the two that every table has.
  package let columns: [ColumnLayout]
  /// The columns in the order of the source, which is the order in the table.
  package let declaredColumns: [ColumnLayout]
  /// Each group of columns (places in ``columns``) that is unique together, a property's own `.unique` first.
  package let uniqueGroups: [[Int]]
  /// Each group of columns (places in ``columns``) that has an index.
  package let indexGroups: [[Int]]
  /// The properties that some uniqueness constraint reads.
  package let uniqueMask: _PropertyMask
  /// The relationships, by the places of their properties.
  package let relationships: [RelationshipLayout]
  /// The properties whose changes a row's version tells: those with columns in the model's table or values beside it.
  @usableFromInline package let storedMask: _PropertyMask
  /// The properties that are in memory only.
  @usableFromInline package let ephemeralMask: _PropertyMask
  /// The properties whose values do not lie in the row.
  package let outOfRowProperties: [PropertyLayout]
  /// Those whose values may hold objects.
  let referenceMask: _PropertyMask
  @usableFromInline package let hasRelations: Bool
  /// Columns for the order that a to-many elsewhere gives this model's objects: their names, and the places of the
  /// properties that have the key.
  package let orderColumns: [(name: String, property: Int)]
  /// Why this model cannot be stored, told when a container is opened for it.
  package let problem: SwiftDataError?

  /// The properties as observers know them, by their places.
  let observedProperties: [ObservedProperty]
  @usableFromInline let codecs: [AnyObject]
  @usableFromInline let firstColumns: [Int]
  private let propertyIndexes: [AnyKeyPath: Int]
  private let relationsByProperty: [RelationshipLayout?]

  /// What stands for the place of a relationship that has no column in the model's own table.
  private static let noColumn = -1

  private static let nextID = Atomic<Int>(0)

  /// The place of a row's identifier and of its version, in wire order.
  @usableFromInline package static let identifierColumn = 0
  @usableFromInline package static let versionColumn = 1
  @usableFromInline package static let firstPropertyColumn = 2

  /// - Parameters:
  ///   - type: The class.
  ///   - scalars: The class's own properties that `@Model` reads and writes by constant places, in their order.
  ///   - external: Those whose values are kept apart from the row.
  ///   - ephemeral: Those whose values are not stored.
  ///   - keyPaths: Those of inherited properties, from this class.
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
    // Those of inherited properties are the superclass's.
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

  /// The layouts of classes below that were made by now; a container makes those of its models when it opens.
  private let knownSubclasses = Locked<[_ModelLayout]>([])
  /// This class and those below it in any container of the process.
  package var family: [_ModelLayout] {
    [self] + knownSubclasses.withLock { $0.inOrder { $0.entityName < $1.entityName } }
  }

  /// The same as it is read where columns of other classes stand between.
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

  /// The codec of a property, as the type that the caller's property has.
  @inlinable
  func codec<Value>(_ property: Int, _ type: Value.Type) -> _PropertyCodec<Value> {
    // The builder made the codec from the type of the property's own key path.
    unsafeDowncast(codecs[property], to: _PropertyCodec<Value>.self)
  }

  @inlinable
  func firstColumn(_ property: Int) -> Int { firstColumns[property] }

  /// The property that a key path names, if it is a persisted one of this model.
  package func property(_ keyPath: AnyKeyPath) -> PropertyLayout? { propertyIndexes[keyPath].map { properties[$0] } }
  package func property(named name: String) -> PropertyLayout? { properties.first { $0.name == name } }

  /// The relationship that a property is, if it is one.
  package func relationship(_ property: Int) -> RelationshipLayout? { relationsByProperty[property] }

  /// The bit of a property in a mask.
  @inlinable
  package static func bit(_ property: Int) -> _PropertyMask { _PropertyMask(index: property) }
  @usableFromInline package static var lastBit: Int { _PropertyMask.lastIndex }

  /// Whether the last bit stands for more than one property.
  var hasSharedBit: Bool { properties.count > _ModelLayout.lastBit + 1 }

  /// Whether a property's bit may be that of others, too.
  static func sharesBit(_ property: Int) -> Bool { property >= lastBit }

  /// The columns that a mask of properties stands for, in wire order.
  package func columns(in mask: _PropertyMask) -> [ColumnLayout] {
    columns.filter { _ModelLayout.bit($0.property) & mask != 0 }
  }
}

/// One persisted property.
package struct PropertyLayout {
  package let index: Int
  package let name: String
  package let keyPath: AnyKeyPath
  /// The key path from the layout's own class, which is another one where the property is inherited.
  package let layoutKeyPath: AnyKeyPath
  package let valueType: any Any.Type
  package let isOptional: Bool
  package let attribute: Schema.Attribute?
  package let defaultValue: Any?
  package let isScalar: Bool
  /// The places of its columns in ``_ModelLayout/columns``.
  package let columns: Range<Int>
  package let codec: _AnyPropertyCodec
  /// nil for an attribute.
  package let relationship: RelationshipLayout?
  package let placement: PropertyPlacement

  package var bit: _PropertyMask { _ModelLayout.bit(index) }
  package var keyPaths: [AnyKeyPath] { keyPath == layoutKeyPath ? [keyPath] : [keyPath, layoutKeyPath] }
}

/// One column of a model's table.
package struct ColumnLayout {
  package let name: String
  /// What follows the property's name in the column's: nothing, or the path to a member.
  package let suffix: String
  package let type: _ColumnType
  package let isOptional: Bool
  package let property: Int
  /// Its place in ``_ModelLayout/columns``.
  package let index: Int
  /// How values of this column compare where their stored form alone does not say it.
  package let order: ColumnOrder
  package let form: ColumnForm

  /// Its place in a row as it is read.
  package var wireColumn: Int { index + _ModelLayout.firstPropertyColumn }
}

/// How a column's values are ordered.
package enum ColumnOrder: Sendable {
  /// By the stored form: numbers by value, text by bytes.
  case natural
  /// Decimal numbers in canonical text: equality is that of the text, order is by value.
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
  /// The same property in the layout of a class that inherits it.
  func inherited(keyPath: AnyKeyPath) -> PropertyLayout {
    PropertyLayout(
      index: index, name: name, keyPath: self.keyPath, layoutKeyPath: keyPath, valueType: valueType,
      isOptional: isOptional, attribute: attribute, defaultValue: defaultValue, isScalar: isScalar, columns: columns,
      codec: codec, relationship: relationship, placement: placement)
  }
}
