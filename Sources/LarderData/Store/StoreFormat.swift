/// The names and numbers of the format that Documentation/store-format.md describes.
package enum StoreFormat {
  /// The version of the format, incremented when earlier code can no longer write a file without damage.
  package static let version: Int64 = 2
  /// "Lard" in ASCII, in the header of each file: distinguishes Larder's files from those of other programs.
  package static let applicationID: Int64 = 0x4C61_7264
  /// The prefix of every table, column and index of the format itself.
  package static let prefix = "larder_"
  package static let identifierColumn = "larder_id"
  package static let versionColumn = "larder_version"
  /// The column with the name of a row's class, in the table of a class hierarchy.
  package static let classColumn = "larder_class"
  package static let metadataTable = "larder_store"
  package static let historyTable = "larder_history"
  /// The table that exists until an import is finished, with the import's progress.
  package static let importTable = "larder_import"

  /// The number of row IDs that the first insert reserves: enough for most programs' lifetime at one short transaction. It
  /// doubles with each further block, so that a bulk insert seldom stops for a reservation.
  package static let firstBlockSize: Int64 = 1 << 12
  package static let maximumBlockSize: Int64 = 1 << 20
  /// The version of an object whose row was neither read nor written. No row has it, even if another program wrote the row.
  package static let unknownVersion = Int64.min
  /// The first row ID that is allocated when no block can be reserved: far above the range of blocks.
  package static let unreservedBase: Int64 = 1 << 61

  /// The maximum of the counters that increase with each save, transaction numbers and row versions: at the end of the integer
  /// range no save would be possible.
  package static let maximumCounter: Int64 = 1 << 61

  /// Returns a name as an SQL identifier.
  package static func quoted(_ name: String) -> String {
    escaped(name, "\"")
  }

  /// Returns the name of the column, next to a to-one's foreign key, with the object's order in the inverse to-many.
  package static func orderColumn(_ property: String) -> String { "\(prefix)\(property)_order" }

  /// Returns the name of a many-to-many relationship's join table.
  package static func joinTable(_ entity: String, _ property: String) -> String { "\(prefix)\(entity)_\(property)" }

  /// Returns the name of the table with the values of a property with `.externalStorage`.
  package static func externalTable(_ entity: String, _ property: String) -> String {
    "\(prefix)external_\(entity)_\(property)"
  }

  /// The distance from the last order at which an object is appended to a to-many: room for inserts in between.
  package static let orderStep: Int64 = 1 << 16
}

extension StoreFormat {
  /// Returns a text as an SQL literal.
  package static func literal(_ text: String) -> String { escaped(text, "'") }

  /// Returns the text between quotes, with each quote in it doubled. Works on scalars, as SQLite does: a quote and a combining mark
  /// are one Swift character, which is no quote. Replaces NUL, at which SQL ends, and which no name can contain.
  private static func escaped(_ text: String, _ quote: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    result.append(quote)
    for scalar in text.unicodeScalars {
      if scalar == quote { result.append(quote) }
      result.append(scalar == "\0" ? "\u{FFFD}" : scalar)
    }
    result.append(quote)
    return String(result)
  }

  /// Returns the condition that a row is of one of the specified classes.
  package static func classCondition(_ layouts: [_ModelLayout]) -> String {
    "\(classColumn) IN (\(layouts.map { literal($0.entityName) }.joined(separator: ", ")))"
  }
}
