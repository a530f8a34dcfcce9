import LarderSupport

/// How a relationship lies in the store.
///
/// A class, because it is asked for with every change, and a copy would count a reference for each of its parts.
package final class RelationshipLayout {
  package enum Storage {
    /// A to-one whose column is in the model's own table, and another column for the order that the other end gives
    /// its objects, where that is a to-many.
    case foreignKey(column: Int, order: String?)
    /// Mirrors a to-one of the other model, in whose table the key is.
    case inverse(foreignKey: Int)
    /// Rows of a table of their own.
    case joinTable(JoinTable, isSource: Bool)
  }

  /// The property's place in the layout.
  package let property: Int
  package let name: String
  package let originalName: String?
  package let storage: Storage
  package let destination: any PersistentModel.Type
  package let isToMany: Bool
  /// Whether it is a to-one of which the object's own row has the key.
  var isKey: Bool { if case .foreignKey = storage { true } else { false } }
  package let isOptional: Bool
  /// The place of the property at the other end that mirrors this one.
  package let inverseProperty: Int?
  package let deleteRule: Schema.Relationship.DeleteRule
  package let minimumCount: Int
  /// 0 for no limit.
  package let maximumCount: Int

  /// The layout of the model at the other end.
  package var destinationLayout: _ModelLayout { destination._$layout }
  /// The relationship at the other end that mirrors this one.
  package var inverse: RelationshipLayout? { inverseProperty.flatMap { destinationLayout.relationship($0) } }
  package var bit: _PropertyMask { _ModelLayout.bit(property) }
  /// Whether it lies in a table of pairs.
  package var usesJoinTable: Bool { if case .joinTable = storage { true } else { false } }

  /// Whether the property mirrors itself: two friends are each other's.
  package var isSymmetric: Bool {
    inverseProperty == property && destinationLayout.relationship(property)?.name == name && isSelfReferential
  }
  private let isSelfReferential: Bool

  /// - Parameters:
  ///   - property: Its place among the model's persisted properties.
  ///   - column: The place of its column in the layout, if it has one.
  ///   - prefix: What the names of the class's own columns begin with.
  init(_ end: InverseResolver.End, property: Int, column: Int?, prefix: String) {
    let inverse = InverseResolver.inverse(of: end)
    self.property = property
    name = end.name
    destination = end.destination
    isToMany = end.isToMany
    isOptional = end.isOptional
    isSelfReferential = end.model == end.destination
    let given = end.declared
    deleteRule = given?.deleteRule ?? .nullify
    originalName = given?.originalName
    minimumCount = given?.minimumModelCount ?? 0
    maximumCount = given?.maximumModelCount ?? 0
    self.inverseProperty = inverse.flatMap { RelationshipLayout.propertyIndex(of: $0.keyPath, in: end.destination) }
    storage = RelationshipLayout.makeStorage(end, inverse, column: column, prefix: prefix)
  }
}

/// A table of pairs, for a to-many whose other end is no to-one.
package struct JoinTable: Codable, Hashable, Sendable {
  package let name: String
  package let source: String
  package let target: String
  /// Whether the target orders its pairs too, because its model has a property for them.
  package let isOrderedByTarget: Bool

  package static let sourceColumn = "source"
  package static let targetColumn = "target"
  package static let sourceOrderColumn = "source_order"
  package static let targetOrderColumn = "target_order"
}

extension RelationshipLayout {
  private static func makeStorage(
    _ end: InverseResolver.End, _ inverse: InverseResolver.End?, column: Int?, prefix: String
  ) -> Storage {
    if let column {
      return .foreignKey(
        column: column, order: inverse?.isToMany == true ? StoreFormat.orderColumn(prefix + end.name) : nil)
    }
    if let inverse, !inverse.isToMany {
      return .inverse(foreignKey: propertyIndex(of: inverse.keyPath, in: end.destination) ?? 0)
    }
    let isSource = isSource(end, inverse)
    let (source, target) = isSource ? (end, inverse) : (inverse ?? end, end)
    let table = JoinTable(
      name: StoreFormat.joinTable(Schema.name(of: source.model), source.name), source: tableName(of: source.model),
      target: tableName(of: source.destination),
      isOrderedByTarget: target != nil && target?.keyPath != source.keyPath)
    return .joinTable(table, isSource: isSource)
  }

  /// Whether a relationship has a column in its model's table. Of two to-ones that mirror each other one has.
  static func hasColumn(_ end: InverseResolver.End) -> Bool {
    guard !end.isToMany else { return false }
    guard let inverse = InverseResolver.inverse(of: end), !inverse.isToMany, inverse.keyPath != end.keyPath else {
      return true
    }
    if end.isOptional != inverse.isOptional { return !end.isOptional }
    // Whoever names the inverse is the one that is referred to, as a parent is.
    let (names, isNamed) = (end.declared?.inverseKeyPath != nil, inverse.declared?.inverseKeyPath != nil)
    if names != isNamed { return isNamed }
    return isFirst(end, inverse)
  }

  private static func isSource(_ end: InverseResolver.End, _ inverse: InverseResolver.End?) -> Bool {
    guard let inverse, inverse.keyPath != end.keyPath else { return true }
    return isFirst(end, inverse)
  }

  /// Two ends that nothing else tells apart are in the order of their names.
  private static func isFirst(_ end: InverseResolver.End, _ other: InverseResolver.End) -> Bool {
    (Schema.name(of: end.model), end.name) < (Schema.name(of: other.model), other.name)
  }

  /// Where a property that a model declares itself stands in that model's layout.
  ///
  /// Layouts of models that refer to each other cannot ask each other while they are made; a superclass's names no
  /// subclass, so its number of properties can be had from the metadata.
  private static func propertyIndex(of keyPath: AnyKeyPath, in model: any PersistentModel.Type) -> Int? {
    var place = model.schemaMetadata.filter { !($0.metadata is any ModelConstraint) }.firstIndex {
      $0.keypath == keyPath
    }
    var above = superclass(of: model)
    while let type = above {
      place? += type.schemaMetadata.filter { !($0.metadata is any ModelConstraint) }.count
      above = superclass(of: type)
    }
    return place
  }

  private static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    _getSuperclass(type) as? any PersistentModel.Type
  }

  /// The table of a model: that of the topmost class.
  static func tableName(of model: any PersistentModel.Type) -> String {
    var type = model
    while let above = superclass(of: type) { type = above }
    return Schema.name(of: type)
  }
}
