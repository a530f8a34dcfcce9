/// The table with the values of one `.externalStorage` property: a row for each object that has a value.
package struct ExternalTable: Codable, Hashable, Sendable {
  package let name: String
  /// The name of the model's table.
  package let entity: String
  package let property: String
  package let type: _ColumnType
  package let isOptional: Bool
  /// The property's type in Swift.
  package let valueType: String
  /// The form of the values, the same as a column's; nil also in stores that were created before the form was recorded.
  package let form: String?

  package static let rowColumn = "row"
  package static let valueColumn = "value"

  /// Returns the class that declares the property, among some classes.
  package func owner(among classes: [String]) -> String? {
    classes.first { StoreFormat.externalTable($0, property) == name }
  }
}

extension ExternalTable {
  /// The statement that creates the table. A value is deleted with its row; nil has no row here.
  package var createTable: String {
    """
    CREATE TABLE \(quotedName) (
      \(ExternalTable.rowColumn) INTEGER PRIMARY KEY REFERENCES \(StoreFormat.quoted(entity)) \
    (\(StoreFormat.identifierColumn)) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      \(ExternalTable.valueColumn) \(type.rawValue) NOT NULL
    ) STRICT
    """
  }

  /// Returns whether both tables store values in the same way; the Swift type is not compared.
  func hasSameStorage(as other: ExternalTable) -> Bool {
    name == other.name && type == other.type && isOptional == other.isOptional
  }

  private var quotedName: String { StoreFormat.quoted(name) }

  var select: String {
    "SELECT \(ExternalTable.valueColumn) FROM \(quotedName) WHERE \(ExternalTable.rowColumn) = ?1"
  }

  /// The statement that writes a value. A value that is equal to the stored one is read and not written again.
  var upsert: String {
    let (row, value) = (ExternalTable.rowColumn, ExternalTable.valueColumn)
    return "INSERT INTO \(quotedName) (\(row), \(value)) VALUES (?1, ?2) ON CONFLICT (\(row)) DO UPDATE "
      + "SET \(value) = excluded.\(value) WHERE \(value) IS NOT excluded.\(value)"
  }

  /// The statement that moves a value from one row to another row that has none.
  var updateRowID: String {
    "UPDATE \(quotedName) SET \(ExternalTable.rowColumn) = ?1 WHERE \(ExternalTable.rowColumn) = ?2"
  }

  var delete: String { "DELETE FROM \(quotedName) WHERE \(ExternalTable.rowColumn) = ?1" }
}
