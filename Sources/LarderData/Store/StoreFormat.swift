/// The names and numbers of the format that Documentation/store-format.md describes.
package enum StoreFormat {
  /// Raised when earlier code can no longer write a file without harm.
  package static let version: Int64 = 2
  /// "Lard" in ASCII, in the header of each file: tells our files from other programs'.
  package static let applicationID: Int64 = 0x4C61_7264
  /// What every table, column and index of our own begins with.
  package static let prefix = "larder_"
  package static let identifierColumn = "larder_id"
  package static let versionColumn = "larder_version"
  /// The name of a row's class, in the table of models that inherit from one another.
  package static let classColumn = "larder_class"
  package static let metadataTable = "larder_store"
  package static let historyTable = "larder_history"
  /// Is there until an import is finished, with the place that it has come to.
  package static let importTable = "larder_import"

  /// Row identifiers reserved at once, by the first insert: enough for most programs' lifetime at one short
  /// transaction, and doubled with each further block so that a bulk insert seldom stops for one.
  package static let firstBlockSize: Int64 = 1 << 12
  package static let maximumBlockSize: Int64 = 1 << 20
  /// The version of what no row has been read or written of: no row's, whatever another program has written there.
  package static let unknownVersion = Int64.min
  /// Where the numbers begin that are given out when no block can be reserved: far above what blocks reach.
  package static let unreservedBase: Int64 = 1 << 61

  /// The largest of the numbers that count on with each save, those of transactions and of rows' versions: from the end of
  /// what an integer holds no save could go on.
  package static let maximumCounter: Int64 = 1 << 61

  /// A name as SQL's identifier.
  package static func quoted(_ name: String) -> String {
    escaped(name, "\"")
  }

  /// The column beside a to-one for the order that the other end's to-many gives its objects.
  package static func orderColumn(_ property: String) -> String { "\(prefix)\(property)_order" }

  /// The table of the pairs of a to-many relationship.
  package static func joinTable(_ entity: String, _ property: String) -> String { "\(prefix)\(entity)_\(property)" }

  /// The table of the values of a property with `.externalStorage`.
  package static func externalTable(_ entity: String, _ property: String) -> String {
    "\(prefix)external_\(entity)_\(property)"
  }

  /// What an object appended to a to-many is given above the last one's order: room for others in between.
  package static let orderStep: Int64 = 1 << 16
}

extension StoreFormat {
  /// A text as SQL's literal.
  package static func literal(_ text: String) -> String { escaped(text, "'") }

  /// Between quotes, with each in the text twice. By scalars, as SQLite reads: a quote and a combining mark are one character of
  /// Swift's, which is no quote. NUL, with which SQL ends, is none that a name could have.
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

  /// The condition that a row is of one of some classes.
  package static func classCondition(_ layouts: [_ModelLayout]) -> String {
    "\(classColumn) IN (\(layouts.map { literal($0.entityName) }.joined(separator: ", ")))"
  }
}
