/// The table of the values of one property with `.externalStorage`: a row for each object that has a value.
package struct ExternalTable: Codable, Hashable, Sendable {
  package let name: String
  /// The table of the model.
  package let entity: String
  package let property: String
  package let type: _ColumnType
  package let isOptional: Bool
  /// The property's type in Swift.
  package let valueType: String
  /// What the values are, as that of a column; nil also in stores that were made before it was kept.
  package let form: String?

  package static let rowColumn = "row"
  package static let valueColumn = "value"

  /// Which of some classes declares the property.
  package func owner(among classes: [String]) -> String? {
    classes.first { StoreFormat.externalTable($0, property) == name }
  }
}

extension ExternalTable {
  /// A value goes with its row; nil has none.
  package var createTable: String {
    """
    CREATE TABLE \(quotedName) (
      \(ExternalTable.rowColumn) INTEGER PRIMARY KEY REFERENCES \(StoreFormat.quoted(entity)) \
    (\(StoreFormat.identifierColumn)) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      \(ExternalTable.valueColumn) \(type.rawValue) NOT NULL
    ) STRICT
    """
  }

  /// Whether both hold the same values; the type in Swift does not decide that.
  func hasSameStorage(as other: ExternalTable) -> Bool {
    name == other.name && type == other.type && isOptional == other.isOptional
  }

  private var quotedName: String { StoreFormat.quoted(name) }

  var select: String {
    "SELECT \(ExternalTable.valueColumn) FROM \(quotedName) WHERE \(ExternalTable.rowColumn) = ?1"
  }

  /// A value that is there already is read and not written again.
  var upsert: String {
    let (row, value) = (ExternalTable.rowColumn, ExternalTable.valueColumn)
    return "INSERT INTO \(quotedName) (\(row), \(value)) VALUES (?1, ?2) ON CONFLICT (\(row)) DO UPDATE "
      + "SET \(value) = excluded.\(value) WHERE \(value) IS NOT excluded.\(value)"
  }

  /// Gives a row's value to another row that has none.
  var updateRowID: String {
    "UPDATE \(quotedName) SET \(ExternalTable.rowColumn) = ?1 WHERE \(ExternalTable.rowColumn) = ?2"
  }

  var delete: String { "DELETE FROM \(quotedName) WHERE \(ExternalTable.rowColumn) = ?1" }
}
