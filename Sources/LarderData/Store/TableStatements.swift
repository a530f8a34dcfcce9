import LarderSupport

/// The SQL of one entity's table. Each text is built once, and its statement is prepared once per connection.
// @unchecked: the writer's lock guards the cache of update statements.
@usableFromInline
package final class TableStatements: @unchecked Sendable {
  package let layout: _ModelLayout
  package let table: String
  /// The source of SELECT statements: the table, or a subquery for this entity's rows. SQLite flattens both into one query.
  package let source: String
  /// The condition that selects this entity's rows in a shared table; `nil` if all rows are of this entity.
  package let filter: String?
  /// The layout for reading rows that may be of subclasses.
  @usableFromInline package let classes: HierarchyRowLayout?
  /// Whether the table has a class column.
  package let hasClasses: Bool

  package let insert: String
  package let delete: String
  /// The statements that select and delete a range of row IDs.
  let selectRange: String
  let deleteRange: String
  /// All columns of a row, in column order.
  let rowColumns: [String]
  /// The columns with the row ID and the class.
  let identityColumns: [String]
  /// The columns with the row ID and the version.
  let versionColumns: [String]
  /// The statement that selects ``rowColumns`` of every row; conditions and an order are appended to it.
  package let selectRows: String
  package let selectIdentifiers: String
  package let selectCount: String
  /// The statement that selects any row of the table, whatever its class: a search for one class might read all rows.
  let selectAny: String
  /// The statement that selects the row IDs and the versions.
  package let selectRowVersions: String
  package let selectByIdentifier: String
  package let selectVersion: String
  /// For each unique group of columns, the statement that selects the row with a key.
  package let selectByKey: [String]
  private var updates: [_PropertyMask: String] = [:]
  private var forcedUpdates: [_PropertyMask: String] = [:]

  /// - Parameter lacking: The uniqueness constraints without an index.
  package init(_ layout: _ModelLayout, _ hierarchy: ModelHierarchy, missingUniqueIndexes lacking: Set<[String]> = []) {
    self.layout = layout
    let q = StoreFormat.quoted
    let table = q(layout.tableName)
    let family = hierarchy.family(of: layout)
    hasClasses = hierarchy.hasSubclasses
    let filter = family.count == hierarchy.members.count ? nil : StoreFormat.classCondition(family)
    let source = filter.map { "(SELECT * FROM \(table) WHERE \($0)) AS \(q(layout.entityName))" } ?? table
    self.filter = filter
    self.source = source
    classes = family.count > 1 ? HierarchyRowLayout(layout, family: family) : nil
    let ofClass = hasClasses ? [StoreFormat.classColumn] : []
    let id = StoreFormat.identifierColumn
    let version = StoreFormat.versionColumn
    self.table = table

    let names = layout.columns.map { q($0.name) }
    let read = classes.map { $0.columns.map { q($0.name) } + ofClass } ?? names
    rowColumns = [id, version] + read
    identityColumns = [id] + ofClass
    selectRows = "SELECT \(rowColumns.joined(separator: ", ")) FROM \(source)"
    selectIdentifiers = "SELECT \(identityColumns.joined(separator: ", ")) FROM \(source)"
    versionColumns = [id, version]
    selectRowVersions = "SELECT \(versionColumns.joined(separator: ", ")) FROM \(source)"
    selectCount = "SELECT count(*) FROM \(source)"
    selectAny = "SELECT 1 FROM \(table) LIMIT 1"
    selectByIdentifier = selectRows + " WHERE \(id) = ?1"
    selectVersion = "SELECT \(version) FROM \(table) WHERE \(id) = ?1"
    delete = "DELETE FROM \(table) WHERE \(id) = ?1"
    selectRange = "SELECT \(id) FROM \(table) WHERE \(id) BETWEEN ?1 AND ?2"
    deleteRange = "DELETE FROM \(table) WHERE \(id) BETWEEN ?1 AND ?2"
    selectByKey = layout.uniqueGroups.map { group in
      let conditions = group.enumerated().map { "\(q(layout.columns[$1].name)) = ?\($0 + 1)" }
      return "SELECT \(([id, version] + ofClass).joined(separator: ", ")) FROM \(table) WHERE "
        + conditions.joined(separator: " AND ")
    }
    let unique = layout.uniqueGroups.map { $0.map { layout.columns[$0].name } }.filter { !lacking.contains($0) }
    insert = TableStatements.insertSQL(layout, table: table, names: names, ofClass: hasClasses, unique: unique)
  }

  /// Returns an insert statement that becomes an update if a uniqueness constraint already has the key.
  ///
  /// It has one clause for each constraint, never one without a target: that would also take the collision of a row ID for an
  /// update. It sets every column, including the unique ones: otherwise it would silently ignore a second row's key. The
  /// condition skips a row that already has the values, so that no page is written.
  ///
  /// The order in a to-many of another entity is no value of the object: it stays if the foreign key stays.
  ///
  /// A row of another class with the same key is unchanged; its class is no value to update.
  private static func insertSQL(
    _ layout: _ModelLayout, table: String, names: [String], ofClass: Bool, unique: [[String]]
  ) -> String {
    let id = StoreFormat.identifierColumn
    let version = StoreFormat.versionColumn
    let q = StoreFormat.quoted
    let orders = layout.orderColumns.map { order in
      (name: q(order.name), key: q(layout.columns[layout.properties[order.property].columns.lowerBound].name))
    }
    let all = [id] + names + orders.map(\.name)
    let places = (1...all.count).map { "?\($0)" } + (ofClass ? [StoreFormat.literal(layout.entityName)] : [])
    let columns = all + (ofClass ? [StoreFormat.classColumn] : [])
    var sql = "INSERT INTO \(table) AS larder_row (" + columns.joined(separator: ", ") + ")"
    sql += " VALUES (\(places.joined(separator: ", ")))"
    for group in unique {
      let target = group.map(q).joined(separator: ", ")
      var assignments = names.map { "\($0) = excluded.\($0)" } + ["\(version) = \(version) + 1"]
      assignments += orders.map { order in
        "\(order.name) = CASE WHEN larder_row.\(order.key) IS excluded.\(order.key) THEN larder_row.\(order.name) "
          + "ELSE excluded.\(order.name) END"
      }
      let guardLeft = names.joined(separator: ", ")
      let guardRight = names.map { "excluded.\($0)" }.joined(separator: ", ")
      sql += " ON CONFLICT (\(target)) DO UPDATE SET " + assignments.joined(separator: ", ")
      let sameClass = ofClass ? "larder_row.\(StoreFormat.classColumn) = excluded.\(StoreFormat.classColumn) AND " : ""
      sql += " WHERE \(sameClass)(\(guardLeft)) IS NOT (\(guardRight))"
    }
    return sql
  }

  /// Returns the statement that updates properties of a row, if the row still has the version that the context expects.
  package func update(_ mask: _PropertyMask) -> String {
    if let sql = updates[mask] { return sql }
    let count = layout.columns(in: mask).count
    let sql = forcedUpdate(mask) + " AND \(StoreFormat.versionColumn) = ?\(count + 2)"
    updates[mask] = sql
    return sql
  }

  /// Returns the statement that updates properties of a row whatever its version.
  package func forcedUpdate(_ mask: _PropertyMask) -> String {
    if let sql = forcedUpdates[mask] { return sql }
    let columns = layout.columns(in: mask)
    let version = StoreFormat.versionColumn
    var assignments = columns.enumerated().map { "\(StoreFormat.quoted($1.name)) = ?\($0 + 1)" }
    assignments.append("\(version) = \(version) + 1")
    let sql =
      "UPDATE \(table) SET " + assignments.joined(separator: ", ")
      + " WHERE \(StoreFormat.identifierColumn) = ?\(columns.count + 1)"
    forcedUpdates[mask] = sql
    return sql
  }
}
