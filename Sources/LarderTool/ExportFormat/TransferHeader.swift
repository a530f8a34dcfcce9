import Foundation
import LarderData

/// The first line of an export: the store's metadata.
struct TransferHeader: Codable {
  /// The version of the export format. It is raised when earlier code can no longer read the lines.
  static let version = 1

  struct Entry: Codable {
    var key: String
    var integer: Int64?
    var text: String?
  }

  /// The version of this format.
  var larder: Int
  /// The version of the store's format.
  var store: Int64
  var entries: [Entry]

  init(_ entries: [(key: String, value: _StoredValue)]) throws {
    larder = Self.version
    store = StoreFormat.version
    // The entry for the copy of the former store applies to this file only, since that copy is next to it.
    self.entries = try entries.filter { $0.key != "former" }.map { entry in
      switch entry.value {
      case .integer(let number): Entry(key: entry.key, integer: number)
      case .text(let text): Entry(key: entry.key, text: text)
      default: throw ToolError(description: "What the store knows of itself, \(entry.key), cannot be read.")
      }
    }
  }

  var values: [(key: String, value: _StoredValue)] {
    entries.filter { $0.key != "former" }.compactMap { entry in
      if let number = entry.integer { return (entry.key, .integer(number)) }
      return entry.text.map { (entry.key, .text($0)) }
    }
  }
}

/// The line before the rows of a table.
struct TransferTable: Codable {
  var table: String
  var columns: [String]
  /// The columns that were added by hand and belong to no model, with their types; `nil` if there are none.
  var added: [String: String]?

  /// The allowed column types of a STRICT table.
  static let types: Set<String> = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]

  var insertion: String {
    let names = columns.map(StoreFormat.quoted).joined(separator: ", ")
    let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(StoreFormat.quoted(table)) (\(names)) VALUES (\(parameters))"
  }
}

/// The last line.
struct TransferEnd: Codable {
  var rows: Int
}
