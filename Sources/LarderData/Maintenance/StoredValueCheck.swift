import Foundation
import LarderSQLite

/// A check that decodes every value of a class's rows with the codecs of its properties.
struct StoredValueCheck {
  typealias Report = (_ entity: String, _ row: Int64, _ explanation: String) -> Void

  private let layout: _ModelLayout
  private let statements: TableStatements
  private let connection: Connection
  private let progress: Progress?

  /// The number of rows between two updates of the progress.
  private static let stride: Int64 = 1_024

  init(_ store: SQLiteStore, _ layout: _ModelLayout, _ connection: Connection, _ progress: Progress?) {
    self.layout = layout
    statements = store.statements(for: layout)
    self.connection = connection
    self.progress = progress
  }

  /// The values that are stored in tables of their own.
  var externals: [(property: PropertyLayout, table: ExternalTable)] {
    layout.noninheritedProperties.compactMap { property in property.placement.external.map { (property, $0) } }
  }

  /// The number of rows and external values to read, without tables that cannot be counted.
  var expectedCount: Int64 {
    ([statements.source] + externals.map { StoreFormat.quoted($0.table.name) }).reduce(0) { sum, source in
      sum + ((try? connection.int64("SELECT count(*) FROM \(source)")) ?? 0)
    }
  }

  /// Returns the row IDs between which the damage is, in words.
  static func describeGap(between last: Int64, _ first: Int64?) -> String {
    let from = last == .min ? "from the first one on" : "after row \(last)"
    guard let first, first != .max else { return from }
    return last == .min ? "before row \(first)" : "between rows \(last) and \(first)"
  }

  /// Decodes the values of the properties that the class itself declares, in its rows and those of its subclasses.
  ///
  /// - Parameters:
  ///   - backwards: Whether to begin with the last row.
  ///   - end: The row ID up to which rows were already read.
  /// - Returns: The row ID of the last readable row if the file is damaged after it; `nil` if all rows were readable.
  ///   If no row was readable, it is the least number, or the greatest one when reading backwards.
  func checkRows(backwards: Bool = false, after end: Int64 = .min, _ note: Report) throws -> Int64? {
    let properties = layout.noninheritedProperties.filter { $0.relationship == nil && !$0.columns.isEmpty }
    let names = properties.flatMap { layout.columns[$0.columns].map { StoreFormat.quoted($0.name) } }
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT \(([id] + names).joined(separator: ", ")) FROM \(statements.source) ORDER BY \(id)\(backwards ? " DESC" : "")"
    var count: Int64 = 0
    var found = 0
    var last: Int64 = backwards ? .max : .min
    do {
      try check(sql, properties, note, &count, &found, &last) { backwards && $0 <= end }
    } catch let error as SQLiteError where error.code == .corrupt {
      try reportProgress(count % StoredValueCheck.stride)
      return last
    }
    try reportProgress(count % StoredValueCheck.stride)
    return nil
  }

  private func check(
    _ sql: String, _ properties: [PropertyLayout], _ note: Report, _ count: inout Int64, _ found: inout Int,
    _ last: inout Int64, until isOver: (Int64) -> Bool
  ) throws {
    try connection.withStatement(for: sql) { statement in
      while try statement.step() {
        if isOver(statement.int64(0)) { return }
        last = statement.int64(0)
        var column: Int32 = 1
        for property in properties {
          let values = property.columns.map { _ in
            defer { column += 1 }
            return _StoredValue(column: column, of: statement.handle)
          }
          if property.codec.canRead(values, layout) { continue }
          found += 1
          if found > IntegrityCheck.maximumFindings { continue }
          note(
            layout.entityName, statement.int64(0),
            "\(layout.entityName).\(property.name) of row \(statement.int64(0)) is \(StoredValueCheck.describe(values)), which is "
              + "no \(property.valueType).")
        }
        count += 1
        if count % StoredValueCheck.stride == 0 { try reportProgress(StoredValueCheck.stride) }
      }
    }
  }

  func checkValues(of property: PropertyLayout, in table: ExternalTable, _ note: Report) throws {
    let sql =
      "SELECT \(ExternalTable.rowColumn), \(ExternalTable.valueColumn) FROM \(StoreFormat.quoted(table.name))"
    var found = 0
    var count: Int64 = 0
    defer { progress?.completedUnitCount += count % StoredValueCheck.stride }
    try connection.withStatement(for: sql) { statement in
      while found < IntegrityCheck.maximumFindings, try statement.step() {
        count += 1
        if count % StoredValueCheck.stride == 0 { try reportProgress(StoredValueCheck.stride) }
        if property.codec.canRead([_StoredValue(column: 1, of: statement.handle)], layout) { continue }
        found += 1
        note(
          layout.entityName, statement.int64(0),
          "\(layout.entityName).\(property.name) of row \(statement.int64(0)) is no \(property.valueType).")
      }
    }
  }

  private func reportProgress(_ rows: Int64) throws {
    guard let progress else { return }
    progress.completedUnitCount += rows
    try progress.checkCancellation()
  }

  /// Returns the stored values, shortened for a message.
  private static func describe(_ values: [_StoredValue]) -> String {
    values.map { value in
      let text = "\(value)"
      return text.count > 60 ? "\(text.prefix(60))…" : text
    }.joined(separator: ", ")
  }
}
