import LarderData
import LarderSQLite

/// A property of the store that the models lack: it goes, with its values.
struct RemovedProperty {
  /// With its class: `Trip.notes`.
  let name: String
  let isRelationship: Bool
  /// How many rows have a value; of a relationship, how many pairs there are. Nil where these stay with its inverse, or are
  /// counted there.
  var rows: Int64?

  /// The same in public words.
  var publicReport: MigrationReport.RemovedProperty {
    let parts = name.split(separator: ".", maxSplits: 1)
    return MigrationReport.RemovedProperty(
      entityName: String(parts.first ?? ""), propertyName: String(parts.last ?? ""), rows: Int(rows ?? 0))
  }
}

extension StoreMigration {
  /// What goes of some classes. Each class is asked for its own rows: what has moved to a class below it stays with those of
  /// that one alone.
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

  /// What becomes something else under its name, a value a relationship or the other way round. No migration does that by
  /// itself; a stage's own work does, and takes the values along or lets them go.
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

  /// - Parameter className: The store's class whose rows lose it.
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

  /// Whether the pairs of a relationship of the store stay with it, as far as they lead to rows of a class.
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
  /// With those of the same name, that another class has lost.
  fileprivate mutating func add(_ property: RemovedProperty) {
    if let known = firstIndex(where: { $0.name == property.name }) {
      self[known].rows = self[known].rows.flatMap { rows in property.rows.map { rows + $0 } }
    } else {
      append(property)
    }
  }
}

extension StoredProperty {
  /// With the class that declares it.
  fileprivate var fullName: String { "\(declaringClass).\(name)" }

  /// The members of a struct that has a column for each which a later one lacks, and their columns.
  fileprivate func members(missingIn later: StoredProperty) -> [(name: Substring, column: TableDefinition.Column)] {
    guard !isSingleColumn, !later.isSingleColumn, later.relationship == nil else { return [] }
    return members.filter { later.columns[$0.suffix] == nil && $0.column.form != "presence" }.map {
      ($0.suffix.dropFirst(), $0.column)
    }
  }
}
