import Foundation
import LarderSupport

/// A key path through to-one relationships to a column: `\Stop.trip?.name`.
struct RelatedKeyPath {
  /// The fetched model.
  let root: _ModelLayout
  /// The relationships, from the fetched model on.
  let path: [RelationshipLayout]
  /// The model at their end.
  let layout: _ModelLayout
  /// The column's place in that model's layout.
  let column: Int

  /// Creates the key path from a Swift key path.
  ///
  /// - Parameter isComputed: Whether the key path ends with a step into another order of the same value.
  /// - Returns: nil for any other key path.
  init?(_ keyPath: AnyKeyPath, from layout: _ModelLayout, isComputed: Bool) {
    // A property of the model itself follows no relationship.
    if layout.property(keyPath) != nil { return nil }
    var text = KeyPathSteps.text(keyPath)[...]
    if isComputed {
      guard let step = text.range(of: ".<computed", options: .backwards) else { return nil }
      text = text[..<step.lowerBound]
    }
    self.init(text: text, layout, [], root: layout)
  }

  /// - Parameter text: The remaining steps of the key path, which begin with the steps of its parts.
  private init?(text: Substring, _ layout: _ModelLayout, _ path: [RelationshipLayout], root: _ModelLayout) {
    for (property, own) in zip(layout.properties, KeyPathSteps.properties(of: layout)) {
      guard text.hasPrefix(own) else { continue }
      let rest = text.dropFirst(own.count)
      guard let relationship = property.relationship else {
        guard !path.isEmpty, let column = RelatedKeyPath.column(property, rest) else { continue }
        self.root = root
        self.path = path
        self.layout = layout
        self.column = column
        return
      }
      let step = rest.drop { $0 == "?" || $0 == "!" }
      guard !relationship.isToMany, step.first == ".", path.count < RelatedKeyPath.maximumDepth else { continue }
      guard let found = RelatedKeyPath(text: step, relationship.destinationLayout, path + [relationship], root: root)
      else {
        continue
      }
      self = found
      return
    }
    return nil
  }

  /// Returns the column of a property, or of the member of a composite at the end of the key path.
  private static func column(_ property: PropertyLayout, _ rest: Substring) -> Int? {
    var (columns, members) = (property.columns, property.codec.members)
    for name in rest.split(whereSeparator: { $0 == "." || $0 == "?" }) {
      guard let member = members?.first(where: { $0.name == name }) else { return nil }
      let first = property.columns.lowerBound
      columns = member.columns.lowerBound + first..<member.columns.upperBound + first
      members = member.members
    }
    return members == nil && columns.count == 1 ? columns.first : nil
  }

  /// 8: more steps than any program needs; a limit for the number of joins.
  private static let maximumDepth = 8

  /// Returns a subquery for the value that belongs to the current row.
  func sql(_ dialect: some SQLDialect) -> String {
    let id = StoreFormat.identifierColumn
    var owner = (name: dialect.identifier(root.entityName), layout: root)
    var (tables, condition): ([String], String) = ([], "")
    for (number, relationship) in path.enumerated() {
      let destination = relationship.destinationLayout
      let name = "\(StoreFormat.prefix)sort_\(number)"
      let link: String
      switch relationship.storage {
      case .foreignKey(let column, _):
        link = "\(name).\(id) = \(owner.name).\(dialect.identifier(owner.layout.columns[column].name))"
      case .inverse(let key):
        guard case .foreignKey(let column, _)? = destination.relationship(key)?.storage else { return "NULL" }
        link = "\(name).\(dialect.identifier(destination.columns[column].name)) = \(owner.name).\(id)"
      case .joinTable: return "NULL"
      }
      let table = "\(dialect.identifier(destination.tableName)) AS \(name)"
      tables.append(number == 0 ? table : "JOIN \(table) ON \(link)")
      if number == 0 { condition = link }
      owner = (name, destination)
    }
    let value = "\(owner.name).\(dialect.identifier(layout.columns[column].name))"
    return "(SELECT \(value) FROM \(tables.joined(separator: " ")) WHERE \(condition) LIMIT 1)"
  }

  /// The related objects along the path, numbered from 1 on, as a predicate numbers them.
  var sources: [RelatedSource] {
    path.enumerated().map { number, relationship in
      var source = RelatedSource(parent: number, relationship: relationship, isElement: false)
      source.mask |=
        number + 1 < path.count ? path[number + 1].bit : _ModelLayout.bit(layout.columns[column].property)
      return source
    }
  }
}
