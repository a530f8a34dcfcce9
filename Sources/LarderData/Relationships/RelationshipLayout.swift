import LarderSupport

/// The storage of a relationship in the store.
///
/// A class, because it is accessed for each change, and a copy would count a reference for each of its parts.
package final class RelationshipLayout {
  package enum Storage {
    /// A to-one whose column is in the model's own table, and another column for the order that the inverse gives its
    /// objects, if the inverse is a to-many.
    case foreignKey(column: Int, order: String?)
    /// A relationship whose inverse is a to-one of the other model, whose table has the foreign key.
    case inverse(foreignKey: Int)
    /// Rows of a join table.
    case joinTable(JoinTable, isSource: Bool)
  }

  /// The index of the property in the layout.
  package let property: Int
  package let name: String
  package let originalName: String?
  package let storage: Storage
  package let destination: any PersistentModel.Type
  package let isToMany: Bool
  /// Whether it is a to-one whose foreign key is in the object's own row.
  var isKey: Bool { if case .foreignKey = storage { true } else { false } }
  package let isOptional: Bool
  /// The index of the inverse property at the other end.
  package let inverseProperty: Int?
  package let deleteRule: Schema.Relationship.DeleteRule
  package let minimumCount: Int
  /// The maximum number of members; 0 for no limit.
  package let maximumCount: Int

  /// The layout of the model at the other end.
  package var destinationLayout: _ModelLayout { destination._$layout }
  /// The inverse relationship at the other end.
  package var inverse: RelationshipLayout? { inverseProperty.flatMap { destinationLayout.relationship($0) } }
  package var bit: _PropertyMask { _ModelLayout.bit(property) }
  /// Whether it is stored in a join table.
  package var usesJoinTable: Bool { if case .joinTable = storage { true } else { false } }

  /// Whether the property is its own inverse: two friends are each other's.
  package var isSymmetric: Bool {
    inverseProperty == property && destinationLayout.relationship(property)?.name == name && isSelfReferential
  }
  private let isSelfReferential: Bool

  /// - Parameters:
  ///   - property: The index among the model's persisted properties.
  ///   - column: The index of the property's column in the layout, if it has one.
  ///   - prefix: The prefix of the names of the class's own columns.
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

/// A join table, for a to-many whose inverse is not a to-one.
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

  /// Returns whether a relationship has a column in its model's table. Of two to-ones that are inverses of each other, one has.
  static func hasColumn(_ end: InverseResolver.End) -> Bool {
    guard !end.isToMany else { return false }
    guard let inverse = InverseResolver.inverse(of: end), !inverse.isToMany, inverse.keyPath != end.keyPath else {
      return true
    }
    if end.isOptional != inverse.isOptional { return !end.isOptional }
    // The end that names the inverse is the one that is referenced, as a parent is.
    let (names, isNamed) = (end.declared?.inverseKeyPath != nil, inverse.declared?.inverseKeyPath != nil)
    if names != isNamed { return isNamed }
    return isFirst(end, inverse)
  }

  private static func isSource(_ end: InverseResolver.End, _ inverse: InverseResolver.End?) -> Bool {
    guard let inverse, inverse.keyPath != end.keyPath else { return true }
    return isFirst(end, inverse)
  }

  /// Returns whether an end is the first: two ends without another difference are in the order of their names.
  private static func isFirst(_ end: InverseResolver.End, _ other: InverseResolver.End) -> Bool {
    (Schema.name(of: end.model), end.name) < (Schema.name(of: other.model), other.name)
  }

  /// Returns the index of a property in the layout of the model that declares it.
  ///
  /// Layouts of models that refer to each other cannot access each other while they are created. A superclass does not name
  /// its subclasses, so its number of properties is read from the metadata.
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

  /// Returns the table of a model: that of the topmost class.
  static func tableName(of model: any PersistentModel.Type) -> String {
    var type = model
    while let above = superclass(of: type) { type = above }
    return Schema.name(of: type)
  }
}
