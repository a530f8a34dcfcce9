/// A relationship as its class declares it, and the place of its foreign keys, for migrations.
package struct StoredRelationship: Codable, Hashable, Sendable {
  package var name: String
  package var ofClass: String
  /// The class at the other end.
  package var destination: String
  /// The inverse property at the other end.
  package var inverse: String?
  package var isToMany: Bool
  /// The foreign key column, if it is in the class's own table, and its order column.
  package var column: String?
  package var order: String?
  /// The join table.
  package var joinTable: JoinTable?
  /// Whether the class is the source in the join table.
  package var isSource: Bool?

  /// The keys in a stored schema, which are never renamed.
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

  /// Whether the property is its own inverse.
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
  /// The form's name in a stored schema; `nil` for the default forms.
  var stored: String? {
    switch self {
    case .value, .foreignKey: nil
    case .presence: "presence"
    case .json: "json"
    case .transformed: "transformed"
    }
  }
}
