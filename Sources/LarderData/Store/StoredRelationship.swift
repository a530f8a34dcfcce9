/// A relationship as a class declares it, and where its pairs lie: what a migration needs to know of it.
package struct StoredRelationship: Codable, Hashable, Sendable {
  package var name: String
  package var ofClass: String
  /// The class at the other end.
  package var destination: String
  /// The property at the other end that mirrors this one.
  package var inverse: String?
  package var isToMany: Bool
  /// The column of the key, where it is in the class's own table, and that of its order.
  package var column: String?
  package var order: String?
  /// The table of pairs.
  package var joinTable: JoinTable?
  /// Whether the class is the source of those pairs.
  package var isSource: Bool?

  /// The keys of a stored schema, which keep their text.
  private enum CodingKeys: String, CodingKey {
    case name, ofClass, destination, inverse, isToMany, column, order
    case joinTable = "link"
    case isSource
  }

  package init(
    name: String, ofClass: String, destination: String, inverse: String? = nil, isToMany: Bool, column: String? = nil,
    order: String? = nil, joinTable: JoinTable? = nil, isSource: Bool? = nil
  ) {
    self.name = name
    self.ofClass = ofClass
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.column = column
    self.order = order
    self.joinTable = joinTable
    self.isSource = isSource
  }

  /// Whether two objects are each other's: the property mirrors itself.
  package var isSymmetric: Bool { inverse == name && destination == ofClass }
}

extension StoredRelationship {
  init(_ relationship: RelationshipLayout, of layout: _ModelLayout) {
    name = relationship.name
    ofClass = layout.entityName
    destination = relationship.destinationLayout.entityName
    inverse = relationship.inverse?.name
    isToMany = relationship.isToMany
    switch relationship.storage {
    case .foreignKey(let column, let order):
      self.column = layout.columns[column].name
      self.order = order
    case .inverse: break
    case .joinTable(let table, let isSource):
      joinTable = table
      self.isSource = isSource
    }
  }
}

extension ColumnForm {
  /// Its name in a stored schema; nil for what is the rule.
  var stored: String? {
    switch self {
    case .value, .foreignKey: nil
    case .presence: "presence"
    case .json: "json"
    case .transformed: "transformed"
    }
  }
}
