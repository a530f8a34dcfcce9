import Foundation
import LarderSQLite

/// Reads every value of a class's rows by the codecs of its properties.
struct StoredValueCheck {
  typealias Note = (_ entity: String, _ row: Int64, _ explanation: String) -> Void

  private let layout: ModelLayout
  private let statements: TableStatements
  private let connection: Connection
  private let progress: Progress?

  /// Every how many rows somebody is told.
  private static let stride: Int64 = 1_024

  init(_ store: SQLiteStore, _ layout: ModelLayout, _ connection: Connection, _ progress: Progress?) {
    self.layout = layout
    statements = store.statements(for: layout)
    self.connection = connection
    self.progress = progress
  }

  /// What the class declares itself, in its rows and in those of the classes below.
  func run(_ note: Note) throws {
    let properties = layout.ownProperties.filter { $0.relation == nil && !$0.columns.isEmpty }
    try checkColumns(properties, note)
    for property in layout.ownProperties {
      if let table = property.placement.external { try checkValues(of: property, in: table, note) }
    }
  }

  private func checkColumns(_ properties: [PropertyLayout], _ note: Note) throws {
    let names = properties.flatMap { layout.columns[$0.columns].map { StoreFormat.quoted($0.name) } }
    let sql =
      "SELECT \(([StoreFormat.identifierColumn] + names).joined(separator: ", ")) FROM \(statements.source)"
    var count: Int64 = 0
    var found = 0
    try connection.withStatement(for: sql) { statement in
      defer { statement.reset() }
      while try statement.step() {
        var column: Int32 = 1
        for property in properties {
          let values = property.columns.map { _ in
            defer { column += 1 }
            return StoredValue(column: column, of: statement.handle)
          }
          if property.codec.canRead(values, layout) { continue }
          found += 1
          if found > IntegrityCheck.limit { continue }
          note(
            layout.entityName, statement.int64(0),
            "\(layout.entityName).\(property.name) of row \(statement.int64(0)) is \(StoredValueCheck.told(values)), which is "
              + "no \(property.valueType).")
        }
        count += 1
        if count % StoredValueCheck.stride == 0 { try tell(StoredValueCheck.stride) }
      }
    }
    try tell(count % StoredValueCheck.stride)
  }

  private func checkValues(of property: PropertyLayout, in table: ExternalTable, _ note: Note) throws {
    let sql =
      "SELECT \(ExternalTable.rowColumn), \(ExternalTable.valueColumn) FROM \(StoreFormat.quoted(table.name))"
    var found = 0
    try connection.withStatement(for: sql) { statement in
      defer { statement.reset() }
      while found < IntegrityCheck.limit, try statement.step() {
        if property.codec.canRead([StoredValue(column: 1, of: statement.handle)], layout) { continue }
        found += 1
        note(
          layout.entityName, statement.int64(0),
          "\(layout.entityName).\(property.name) of row \(statement.int64(0)) is no \(property.valueType).")
      }
    }
  }

  private func tell(_ rows: Int64) throws {
    guard let progress else { return }
    progress.completedUnitCount += rows
    if progress.isCancelled { throw CancellationError() }
  }

  /// What is stored, as far as somebody reads.
  private static func told(_ values: [StoredValue]) -> String {
    values.map { value in
      let text = "\(value)"
      return text.count > 60 ? "\(text.prefix(60))…" : text
    }.joined(separator: ", ")
  }
}
