import Foundation
import LarderData
import LarderSQLite
import LarderSupport

/// The output of `inspect` for a store.
struct StoreSummary: Codable {
  struct Property: Codable {
    var name: String
    var type: String
    var columns: [String]
    var isOptional: Bool
  }

  struct Relationship: Codable {
    var name: String
    var destination: String
    var isToMany: Bool
  }

  struct Entity: Codable {
    var name: String
    var superclass: String?
    var rows: Int64
    var properties: [Property]
    var relationships: [Relationship]
    var unique: [[String]]
    var indexes: [[String]]
    var tables: [String]
  }

  struct History: Codable {
    var transactions: Int64
    var first: Int64?
    var last: Int64?
    var since: Date?
    var bytes: Int64
  }

  var path: String
  var identifier: String
  var format: Int64
  var version: String?
  var bytes: Int64
  var logBytes: Int64
  var freeBytes: Int64
  var entities: [Entity]
  var history: History?

  init(_ store: SQLiteStore, path: String) throws {
    self.path = path
    identifier = store.identifier
    func size(_ path: String) -> Int64 {
      (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
    }
    bytes = size(path)
    logBytes = size(path + "-wal")
    (format, version, freeBytes, entities, history) = try store.database.read { connection in
      let entries = try StoreMetadata.entries(on: connection)
      let page = try connection.int64("PRAGMA page_size") ?? 0
      let free = try connection.int64("PRAGMA freelist_count") ?? 0
      var version: String?
      if case .text(let text)? = entries.first(where: { $0.key == "version" })?.value { version = text }
      return (
        try connection.int64("PRAGMA user_version") ?? 0, version, free * page,
        try StoreMetadata.tables(of: entries).flatMap { try Self.entities($0, connection) },
        try Self.history(connection)
      )
    }
  }

  private static func entities(_ table: TableDefinition, _ connection: Connection) throws -> [Entity] {
    let classes = table.classes?.map { ($0.name, $0.superclass) } ?? [(table.name, nil)]
    return try classes.map { one -> Entity in
      let one = (name: one.0, superclass: one.1)
      let isTopmost = one.name == table.name
      let columns = table.columns.filter { ($0.ofClass ?? table.name) == one.name }
      let names = columns.reduce(into: [String]()) { if !$0.contains($1.property) { $0.append($1.property) } }
      let condition =
        table.classes == nil ? "" : " WHERE \(StoreFormat.classColumn) = \(StoreFormat.literal(one.name))"
      return Entity(
        name: one.name, superclass: one.superclass,
        rows: try connection.int64("SELECT count(*) FROM \(StoreFormat.quoted(table.name))\(condition)") ?? 0,
        properties: names.map { name in
          let own = columns.filter { $0.property == name }
          return Property(
            name: name, type: own[0].references.map { "→ \($0)" } ?? own[0].valueType, columns: own.map(\.name),
            isOptional: own[0].isOptional)
        }
          + (table.externals ?? []).filter { $0.owner(among: [one.name]) != nil }.map {
            Property(name: $0.property, type: $0.valueType, columns: [], isOptional: $0.isOptional)
          },
        relationships: table.allRelations.filter { $0.ofClass == one.name }.map {
          Relationship(name: $0.name, destination: $0.destination, isToMany: $0.isToMany)
        },
        unique: isTopmost ? table.unique : [], indexes: isTopmost ? table.indexes : [],
        tables: isTopmost ? table.companionTables : [])
    }
  }

  private static func history(_ connection: Connection) throws -> History? {
    let name = HistoryTable.name
    guard try !TableColumns(name, on: connection).names.isEmpty else { return nil }
    return try connection.withStatement(
      for: "SELECT count(*), min(number), max(number), min(time), total(length(changes)) FROM \(name)"
    ) { statement in
      guard try statement.step() else { return nil }
      let isEmpty = statement.int64(0) == 0
      return History(
        transactions: statement.int64(0), first: isEmpty ? nil : statement.int64(1),
        last: isEmpty ? nil : statement.int64(2),
        since: isEmpty ? nil : Date(timeIntervalSinceReferenceDate: statement.double(3)), bytes: statement.int64(4))
    }
  }

  /// The summary as text.
  var lines: [String] {
    var lines = [
      "\(path): a store of format \(format), models' version \(version ?? "unknown")", "identity: \(identifier)",
      "size: \(bytes) bytes, of which \(freeBytes) are free; log: \(logBytes) bytes",
    ]
    if let history {
      let span = history.first.flatMap { first in history.last.map { ", numbers \(first) to \($0)" } } ?? ""
      lines.append("history: \(history.transactions.pluralized("transaction"))\(span), \(history.bytes) bytes")
    }
    for entity in entities {
      lines.append("")
      lines.append("\(entity.name)\(entity.superclass.map { ": \($0)" } ?? "") (\(entity.rows.pluralized("row")))")
      for property in entity.properties {
        lines.append(
          "  \(property.name): \(property.type)\(property.isOptional && !property.type.hasSuffix("?") ? ", may be nil" : "")"
        )
      }
      // Relationships in the rows are among the properties.
      let inRows = Set(entity.properties.map(\.name))
      for relationship in entity.relationships where !inRows.contains(relationship.name) {
        lines.append(
          "  \(relationship.name): → \(relationship.destination)\(relationship.isToMany ? ", to many" : "")")
      }
      for group in entity.unique { lines.append("  unique: \(group.joined(separator: ", "))") }
      for group in entity.indexes { lines.append("  index: \(group.joined(separator: ", "))") }
      for table in entity.tables { lines.append("  beside: \(table)") }
    }
    return lines
  }
}
