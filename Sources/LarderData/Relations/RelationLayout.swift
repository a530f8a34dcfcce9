import LarderSupport

/// How a relationship lies in the store.
///
/// A class, because it is asked for with every change, and a copy would count a reference for each of its parts.
package final class RelationLayout {
  package enum Form {
    /// A to-one whose column is in the model's own table, and another column for the order that the other end gives
    /// its objects, where that is a to-many.
    case key(column: Int, order: String?)
    /// Mirrors a to-one of the other model, in whose table the key is.
    case mirror(key: Int)
    /// Rows of a table of their own.
    case link(LinkTable, isSource: Bool)
  }

  /// The property's place in the layout.
  package let property: Int
  package let name: String
  package let originalName: String?
  package let form: Form
  package let destination: any PersistentModel.Type
  package let isToMany: Bool
  /// Whether it is a to-one of which the object's own row has the key.
  var isKey: Bool { if case .key = form { true } else { false } }
  package let isOptional: Bool
  /// The place of the property at the other end that mirrors this one.
  package let inverse: Int?
  package let deleteRule: Schema.Relationship.DeleteRule
  package let minimumCount: Int
  /// 0 for no limit.
  package let maximumCount: Int

  /// The layout of the model at the other end.
  package var destinationLayout: ModelLayout { destination._$layout }
  /// The relationship at the other end that mirrors this one.
  package var mirrored: RelationLayout? { inverse.flatMap { destinationLayout.relation($0) } }
  package var bit: PropertyMask { ModelLayout.bit(property) }
  /// Whether it lies in a table of pairs.
  package var isLink: Bool { if case .link = form { true } else { false } }

  /// Whether the property mirrors itself: two friends are each other's.
  package var isSymmetric: Bool { inverse == property && destinationLayout.relation(property)?.name == name && isOwn }
  private let isOwn: Bool

  /// - Parameters:
  ///   - property: Its place among the model's persisted properties.
  ///   - column: The place of its column in the layout, if it has one.
  ///   - prefix: What the names of the class's own columns begin with.
  init(_ end: InverseLinks.End, property: Int, column: Int?, prefix: String) {
    let inverse = InverseLinks.inverse(of: end)
    self.property = property
    name = end.name
    destination = end.destination
    isToMany = end.isToMany
    isOptional = end.isOptional
    isOwn = end.model == end.destination
    let given = end.given
    deleteRule = given?.deleteRule ?? .nullify
    originalName = given?.originalName
    minimumCount = given?.minimumModelCount ?? 0
    maximumCount = given?.maximumModelCount ?? 0
    self.inverse = inverse.flatMap { RelationLayout.place(of: $0.keyPath, in: end.destination) }
    form = RelationLayout.form(end, inverse, column: column, prefix: prefix)
  }
}

/// A table of pairs, for a to-many whose other end is no to-one.
package struct LinkTable: Codable, Hashable, Sendable {
  package let name: String
  package let source: String
  package let target: String
  /// Whether the target orders its pairs too, because its model has a property for them.
  package let isOrderedByTarget: Bool

  package static let sourceColumn = "source"
  package static let targetColumn = "target"
  package static let sourceOrder = "source_order"
  package static let targetOrder = "target_order"
}

extension RelationLayout {
  private static func form(
    _ end: InverseLinks.End, _ inverse: InverseLinks.End?, column: Int?, prefix: String
  ) -> Form {
    if let column {
      return .key(column: column, order: inverse?.isToMany == true ? StoreFormat.orderColumn(prefix + end.name) : nil)
    }
    if let inverse, !inverse.isToMany { return .mirror(key: place(of: inverse.keyPath, in: end.destination) ?? 0) }
    let isSource = isSource(end, inverse)
    let (source, target) = isSource ? (end, inverse) : (inverse ?? end, end)
    let table = LinkTable(
      name: StoreFormat.linkTable(Schema.name(of: source.model), source.name), source: tableName(of: source.model),
      target: tableName(of: source.destination),
      isOrderedByTarget: target != nil && target?.keyPath != source.keyPath)
    return .link(table, isSource: isSource)
  }

  /// Whether a relationship has a column in its model's table. Of two to-ones that mirror each other one has.
  static func hasColumn(_ end: InverseLinks.End) -> Bool {
    guard !end.isToMany else { return false }
    guard let inverse = InverseLinks.inverse(of: end), !inverse.isToMany, inverse.keyPath != end.keyPath else {
      return true
    }
    if end.isOptional != inverse.isOptional { return !end.isOptional }
    // Whoever names the inverse is the one that is referred to, as a parent is.
    let (names, isNamed) = (end.given?.inverseKeyPath != nil, inverse.given?.inverseKeyPath != nil)
    if names != isNamed { return isNamed }
    return isFirst(end, inverse)
  }

  private static func isSource(_ end: InverseLinks.End, _ inverse: InverseLinks.End?) -> Bool {
    guard let inverse, inverse.keyPath != end.keyPath else { return true }
    return isFirst(end, inverse)
  }

  /// Two ends that nothing else tells apart are in the order of their names.
  private static func isFirst(_ end: InverseLinks.End, _ other: InverseLinks.End) -> Bool {
    (Schema.name(of: end.model), end.name) < (Schema.name(of: other.model), other.name)
  }

  /// Where a property that a model declares itself stands in that model's layout.
  ///
  /// Layouts of models that refer to each other cannot ask each other while they are made; a superclass's names no
  /// subclass, so its number of properties can be had from the metadata.
  private static func place(of keyPath: AnyKeyPath, in model: any PersistentModel.Type) -> Int? {
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
