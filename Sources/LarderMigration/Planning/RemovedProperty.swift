import LarderData
import LarderSQLite

/// A property of the store that is missing in the models: it is removed with its values.
struct RemovedProperty {
  /// The name with its class: `Trip.notes`.
  let name: String
  let isRelationship: Bool
  /// The number of rows with a value, or of pairs of a relationship. `nil` if the pairs stay with the inverse, or are
  /// counted there.
  var rows: Int64?

  /// The property in a public report.
  var publicReport: MigrationReport.RemovedProperty {
    let parts = name.split(separator: ".", maxSplits: 1)
    return MigrationReport.RemovedProperty(
      entityName: String(parts.first ?? ""), propertyName: String(parts.last ?? ""), rows: Int(rows ?? 0))
  }
}

extension StoreMigration {
  /// Returns the removed properties of some classes. Each class is checked for its own rows: a property that has moved
  /// to a subclass stays only in the rows of that subclass.
  func removedProperties(of matches: [EntityMatch], on connection: Connection) throws -> [RemovedProperty] {
    var removed: [RemovedProperty] = []
    for match in matches {
      guard let former = match.originalName, let table = store.table(of: former) else { continue }
      let count = RowCounter(table, of: former, connection)
      for property in table.propertyNames(of: former).compactMap({ store.property($0, of: former) }) {
        if let successor = match.properties.first(where: { $0.original?.fullName == property.fullName }) {
          for (member, column) in property.members(missingIn: successor.current) {
            let name = "\(property.fullName).\(member)"
            removed.add(RemovedProperty(name: name, isRelationship: false, rows: try count.rows(with: column)))
          }
          continue
        }
        removed.add(try self.removal(of: property, from: former, count))
      }
    }
    return removed
  }

  /// Returns the properties that change their kind under the same name, from a value to a relationship or the other way
  /// round. No automatic migration does that; a stage's own closure does, and converts the values or drops them.
  func replacedProperties(of matches: [EntityMatch], on connection: Connection) throws -> [RemovedProperty] {
    var replaced: [RemovedProperty] = []
    for match in matches {
      guard let former = match.originalName, let table = store.table(of: former) else { continue }
      let count = RowCounter(table, of: former, connection)
      for property in match.properties {
        guard let was = property.original, (was.relationship == nil) != (property.current.relationship == nil) else {
          continue
        }
        replaced.add(try removal(of: was, from: former, count))
      }
    }
    return replaced
  }

  /// - Parameter className: The store's class whose rows lose the property.
  private func removal(of property: StoredProperty, from className: String, _ count: RowCounter) throws
    -> RemovedProperty
  {
    let rows = try count.rows(of: property) { relationship in
      guard let inverse = relationship.inverse else { return false }
      return store.property(inverse, of: relationship.destination).map { isMappedAsRelationship($0, to: className) }
        ?? false
    }
    return RemovedProperty(name: property.fullName, isRelationship: property.relationship != nil, rows: rows)
  }

  /// Returns whether the pairs of a relationship of the store are kept, as far as they reference rows of a class.
  private func isMappedAsRelationship(_ property: StoredProperty, to className: String) -> Bool {
    matches.all.contains { match in
      match.properties.contains { taken in
        guard taken.original?.fullName == property.fullName, let relationship = taken.current.relationship else {
          return false
        }
        return matches.family(of: relationship.destination).contains(className)
      }
    }
  }
}

extension [RemovedProperty] {
  /// Adds a property, and merges it with one of the same name from another class.
  fileprivate mutating func add(_ property: RemovedProperty) {
    if let known = firstIndex(where: { $0.name == property.name }) {
      self[known].rows = self[known].rows.flatMap { rows in property.rows.map { rows + $0 } }
    } else {
      append(property)
    }
  }
}

extension StoredProperty {
  /// The name with its declaring class.
  fileprivate var fullName: String { "\(declaringClass).\(name)" }

  /// Returns the members of a struct, with their columns, that a later version of the struct lacks.
  fileprivate func members(missingIn later: StoredProperty) -> [(name: Substring, column: TableDefinition.Column)] {
    guard !isSingleColumn, !later.isSingleColumn, later.relationship == nil else { return [] }
    return members.filter { later.columns[$0.suffix] == nil && $0.column.form != "presence" }.map {
      ($0.suffix.dropFirst(), $0.column)
    }
  }
}
