/// A table as it is made, and as the bookkeeping remembers it: what a later opening is compared with.
package struct TableDefinition: Codable, Hashable, Sendable {
  package struct Column: Codable, Hashable, Sendable {
    package var name: String
    package var type: ColumnType
    package var isOptional: Bool
    /// The model's property that it belongs to, and that property's type in Swift.
    package var property: String
    package var valueType: String
  }

  package var name: String
  package var columns: [Column]
  package var unique: [[String]]
  package var indexes: [[String]]

  package init(_ layout: ModelLayout) {
    name = layout.entityName
    columns = layout.declaredColumns.map { column in
      let property = layout.properties[column.property]
      return Column(
        name: column.name, type: column.type, isOptional: column.isOptional, property: property.name,
        valueType: String(describing: property.valueType))
    }
    unique = layout.uniqueGroups.map { $0.map { layout.columns[$0].name } }
    indexes = layout.indexGroups.map { $0.map { layout.columns[$0].name } }
  }

  /// The statements that make the table and its indexes.
  package var creation: [String] {
    let q = StoreFormat.quoted
    var lines = [
      "\(StoreFormat.identifierColumn) INTEGER PRIMARY KEY",
      "\(StoreFormat.versionColumn) INTEGER NOT NULL DEFAULT 1",
    ]
    lines += columns.map { "\(q($0.name)) \($0.type.rawValue)\($0.isOptional ? "" : " NOT NULL")" }
    var statements = ["CREATE TABLE \(q(name)) (\n  " + lines.joined(separator: ",\n  ") + "\n) STRICT"]
    for group in unique {
      let index = q(StoreFormat.uniqueIndex(name, group))
      statements.append("CREATE UNIQUE INDEX \(index) ON \(q(name)) (\(group.map(q).joined(separator: ", ")))")
    }
    for group in indexes where !unique.contains(group) {
      let index = q(StoreFormat.index(name, group))
      statements.append("CREATE INDEX \(index) ON \(q(name)) (\(group.map(q).joined(separator: ", ")))")
    }
    return statements
  }

  /// What differs between the stored table and the model, in words; empty where the model fits.
  ///
  /// The type in Swift is not compared: only what is stored decides whether rows can be read.
  package func differences(from model: TableDefinition) -> [String] {
    var result: [String] = []
    func form(_ column: Column) -> String { "\(column.type.rawValue)\(column.isOptional ? "" : " NOT NULL")" }
    for column in model.columns {
      guard let stored = columns.first(where: { $0.name == column.name }) else {
        result.append("the store has no column \"\(column.name)\" (\(form(column)))")
        continue
      }
      if form(stored) != form(column) {
        result.append("\"\(column.name)\" is \(form(stored)) in the store and \(form(column)) in the model")
      }
    }
    for column in columns where !model.columns.contains(where: { $0.name == column.name }) {
      result.append("the model has no property for the column \"\(column.name)\" (\(form(column)))")
    }
    func compare(_ kind: String, _ stored: [[String]], _ wanted: [[String]]) {
      for group in wanted where !stored.contains(group) {
        result.append("the store has no \(kind) on \(group.joined(separator: ", "))")
      }
      for group in stored where !wanted.contains(group) {
        result.append("the store has a \(kind) on \(group.joined(separator: ", ")) that the model has not")
      }
    }
    compare("uniqueness constraint", unique, model.unique)
    compare("index", indexes, model.indexes)
    return result
  }
}
