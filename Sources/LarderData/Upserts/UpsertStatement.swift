import LarderSQLite
import LarderSupport

/// The statement of an upsert: an insert that becomes an update of differing columns if the key exists.
struct UpsertStatement<Model: PersistentModel, Record> {
  typealias ColumnMapping = UpsertMapping<Model, Record>.ColumnMapping

  let layout: _ModelLayout
  let columnMappings: [ColumnMapping]
  let joinListMappings: [JoinListMapping<Record>]
  /// A function that binds all column mappings.
  let bindRecord: UpsertMapping<Model, Record>.RecordBinding
  /// A function that binds the column mappings of the key.
  let bindKey: UpsertMapping<Model, Record>.RecordBinding
  /// The optional parts of the key, which a record may lack.
  let optionalKeyMappings: [ColumnMapping]
  let sql: String
  /// The properties that an update may change.
  let mask: _PropertyMask
  /// The values bound after the mappings' parameters: defaults of properties that no record sets.
  let defaults: [_StoredValue]
  /// The statement that inserts a record's key into the key table.
  let insertKey: String
  /// A condition for the row with a key.
  let keyCondition: String
  /// The query of the class of the row with a key, or `nil` if the table has rows of one class only.
  let selectClass: String?
  /// The query of the row ID of the row with a key.
  let selectRow: String
  /// The statement that creates the key table unless it exists: the transaction that created it may have been rolled back.
  let createKeyTable: String
  let selectUnnamed: String

  /// Creates the statement.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if the key is not unique, or if a required property is not set.
  init(
    _ mapping: UpsertMapping<Model, Record>, by keyPaths: [PartialKeyPath<Model>], _ statements: TableStatements,
    keyTable table: String
  ) throws {
    if let problem = mapping.firstError { throw problem }
    let layout = mapping.layout
    self.layout = layout
    func refused(_ reason: String) -> SwiftDataError {
      .modelValidationFailure.explained("\(layout.entityName) cannot be upserted: \(reason).")
    }
    let key = try keyPaths.flatMap { Array(try AggregateColumn.find($0, layout, for: .update).columns) }
    guard let group = layout.uniqueGroups.first(where: { Set($0) == Set(key) }) else {
      let names = keyPaths.map { ReadableKeyPath.text($0, layout) }.joined(separator: ", ")
      throw refused("\(names) is not unique. Mark it .unique, or name what #Unique names together")
    }
    let keys = try group.map { column in
      if let part = mapping.columnMappings.first(where: { $0.columns == column..<(column + 1) }) { return part }
      throw refused("its key \(layout.columns[column].name) is not set")
    }
    columnMappings = mapping.columnMappings
    joinListMappings = mapping.joinListMappings
    bindRecord = ColumnMapping.combined(columnMappings)
    bindKey = ColumnMapping.combined(keys)
    optionalKeyMappings = keys.filter { $0.isNil != nil }
    defaults = try UpsertDefaults.values(of: layout, excluding: Set(columnMappings.flatMap(\.columns)), refused)

    let q = StoreFormat.quoted
    let written = columnMappings.flatMap { part in part.columns.map { layout.columns[$0] } }
    let rest = UpsertDefaults.columns(of: layout, excluding: Set(columnMappings.flatMap(\.columns)))
    mask = written.reduce(0) { $0 | (group.contains($1.index) ? 0 : _ModelLayout.bit($1.property)) }
    let id = StoreFormat.identifierColumn
    let version = StoreFormat.versionColumn
    var place = 1
    var columns = [id]
    var values = ["?1"]
    var orders: [(order: String, key: String)] = []
    for part in columnMappings {
      for column in part.columns {
        place += 1
        columns.append(q(layout.columns[column].name))
        values.append("?\(place)")
      }
      guard let order = part.lookup?.orderColumn else { continue }
      // A new member is placed after the owner's other members.
      let key = q(layout.columns[part.columns.lowerBound].name)
      orders.append((q(order), key))
      columns.append(q(order))
      values.append(
        "CASE WHEN ?\(place) IS NOT NULL THEN (SELECT coalesce(max(\(q(order))), 0) + \(StoreFormat.orderStep) "
          + "FROM \(statements.table) WHERE \(key) = ?\(place)) END")
    }
    for column in rest {
      place += 1
      columns.append(q(column.name))
      values.append("?\(place)")
    }
    if statements.hasClasses {
      columns.append(StoreFormat.classColumn)
      values.append(StoreFormat.literal(layout.entityName))
    }
    let target = group.map { q(layout.columns[$0].name) }
    var sql =
      "INSERT INTO \(statements.table) AS larder_row (\(columns.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", "))) ON CONFLICT (\(target.joined(separator: ", "))) DO "
    let changing = written.filter { !group.contains($0.index) }.map { q($0.name) }
    if changing.isEmpty {
      sql += "NOTHING"
    } else {
      let assignments =
        changing.map { "\($0) = excluded.\($0)" } + ["\(version) = \(version) + 1"]
        + orders.map {
          "\($0.order) = CASE WHEN larder_row.\($0.key) IS excluded.\($0.key) THEN larder_row.\($0.order) "
            + "ELSE excluded.\($0.order) END"
        }
      let sameClass =
        statements.hasClasses ? "larder_row.\(StoreFormat.classColumn) = excluded.\(StoreFormat.classColumn) AND " : ""
      sql +=
        "UPDATE SET \(assignments.joined(separator: ", ")) WHERE \(sameClass)"
        + "(\(changing.map { "larder_row.\($0)" }.joined(separator: ", "))) IS NOT "
        + "(\(changing.map { "excluded.\($0)" }.joined(separator: ", ")))"
    }
    self.sql = sql

    keyCondition = target.indices.map { "\(target[$0]) = ?\($0 + 1)" }.joined(separator: " AND ")
    selectClass =
      statements.hasClasses ? "SELECT \(StoreFormat.classColumn) FROM \(statements.table) WHERE \(keyCondition)" : nil
    selectRow = "SELECT \(id) FROM \(statements.table) WHERE \(keyCondition)"
    let notes = "temp.\(table)"
    let names = target.indices.map { "key\($0)" }
    createKeyTable =
      "CREATE TEMP TABLE IF NOT EXISTS \(table) (\(names.joined(separator: ", ")), "
      + "PRIMARY KEY (\(names.joined(separator: ", ")))) WITHOUT ROWID"
    insertKey = "INSERT OR IGNORE INTO \(notes) VALUES (\(names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))"
    let same = zip(names, target).map { "\(notes).\($0) = larder_row.\($1)" }.joined(separator: " AND ")
    let filter = statements.filter.map { "\($0) AND " } ?? ""
    selectUnnamed =
      "SELECT \(id) FROM \(statements.table) AS larder_row WHERE \(filter)"
      + "NOT EXISTS (SELECT 1 FROM \(notes) WHERE \(same))"
  }
}

/// The values of new rows for properties that no record sets.
enum UpsertDefaults {
  static func columns(of layout: _ModelLayout, excluding set: Set<Int>) -> [ColumnLayout] {
    layout.columns.filter { !set.contains($0.index) }
  }

  static func values(
    of layout: _ModelLayout, excluding set: Set<Int>, _ refused: (String) -> SwiftDataError
  ) throws -> [_StoredValue] {
    for property in layout.outOfRowProperties where property.placement.external != nil {
      if property.isOptional, property.defaultValue == nil { continue }
      throw refused(
        "\(property.name) has .externalStorage, and every new model has a value in it. Insert objects instead")
    }
    var stored: [Int: _StoredValue] = [:]
    for property in layout.properties
    where property.placement.isRow && property.columns.contains(where: { !set.contains($0) }) {
      let values = try self.values(of: property, layout, set, refused)
      for (column, value) in zip(property.columns, values) { stored[column] = value }
    }
    return columns(of: layout, excluding: set).map { stored[$0.index] ?? .null }
  }

  private static func values(
    of property: PropertyLayout, _ layout: _ModelLayout, _ set: Set<Int>, _ refused: (String) -> SwiftDataError
  ) throws -> [_StoredValue] {
    if let value = property.defaultValue, let held = property.codec.box(value) {
      let stored = StoredColumns(layout) { property.codec.write(boxed: held, to: &$0) }
      if let values = stored.storable, values.count == property.columns.count { return values }
    }
    let lacking = property.columns.first { !set.contains($0) && !layout.columns[$0].isOptional }
    if let lacking {
      throw refused("\(layout.columns[lacking].name) is not set, and has no default value")
    }
    return property.columns.map { _ in .null }
  }
}
