/// A relationship as a class declares it, and where its pairs lie: what a migration needs to know of it.
package struct StoredRelation: Codable, Hashable, Sendable {
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
  package var link: LinkTable?
  /// Whether the class is the source of those pairs.
  package var isSource: Bool?

  package init(
    name: String, ofClass: String, destination: String, inverse: String? = nil, isToMany: Bool, column: String? = nil,
    order: String? = nil, link: LinkTable? = nil, isSource: Bool? = nil
  ) {
    self.name = name
    self.ofClass = ofClass
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.column = column
    self.order = order
    self.link = link
    self.isSource = isSource
  }

  /// Whether two objects are each other's: the property mirrors itself.
  package var isSymmetric: Bool { inverse == name && destination == ofClass }
}

extension StoredRelation {
  init(_ relation: RelationLayout, of layout: ModelLayout) {
    name = relation.name
    ofClass = layout.entityName
    destination = relation.destinationLayout.entityName
    inverse = relation.mirrored?.name
    isToMany = relation.isToMany
    switch relation.form {
    case .key(let column, let order):
      self.column = layout.columns[column].name
      self.order = order
    case .mirror: break
    case .link(let table, let isSource):
      link = table
      self.isSource = isSource
    }
  }
}

extension ColumnForm {
  /// Its name in a stored schema; nil for what is the rule.
  var stored: String? {
    switch self {
    case .value, .key: nil
    case .presence: "presence"
    case .json: "json"
    case .transformed: "transformed"
    }
  }
}
