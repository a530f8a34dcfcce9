import Foundation
import LarderData
import LarderSQLite

/// The schema of a store, without the store.
struct SchemaFile: Codable {
  /// The version of the models, if it is known.
  var version: String?
  var tables: [TableDefinition]

  var classNames: Set<String> { Set(tables.flatMap(\.classNames)) }

  /// 64 MiB: the schema of tens of thousands of models.
  private static let maximumSize = 64 << 20
  private static let sqliteMagic = Data("SQLite format 3\0".utf8)

  init(of store: SQLiteStore) throws {
    let entries = try store.database.read { try StoreMetadata.entries(on: $0) }
    tables = try StoreMetadata.tables(of: entries)
    if case .text(let text)? = entries.first(where: { $0.key == "version" })?.value { version = text }
  }

  /// Reads a schema.
  ///
  /// - Parameter name: The file of a store, or a file with a schema in the form of `inspect --schema` or in the form in which the
  ///   store keeps it. `-` is the standard input.
  init(at name: String, opening: (String) throws -> SQLiteStore) throws {
    if name != "-" { try ToolFile.require(name, asA: "a store, or the file with its schema") }
    guard let file = name == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: name) else {
      throw ToolError(description: "\(name) cannot be read.")
    }
    let data: Data
    do {
      var read = try file.read(upToCount: Self.sqliteMagic.count) ?? Data()
      if read == Self.sqliteMagic, name != "-" {
        self = try SchemaFile(of: opening(name))
        return
      }
      while read.count <= Self.maximumSize, let more = try file.read(upToCount: 1 << 20), !more.isEmpty { read += more }
      data = read
    } catch let error as CocoaError {
      throw ToolError(description: "\(name) cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= Self.maximumSize else {
      throw ToolError(description: "\(name) is larger than a schema can be.")
    }
    do {
      let decoder = JSONDecoder()
      if data.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
        tables = try decoder.decode([TableDefinition].self, from: data)
      } else {
        self = try decoder.decode(SchemaFile.self, from: data)
      }
    } catch is DecodingError {
      throw ToolError(
        description:
          "\(name) is neither a store nor a schema. Make one of a store of the new models: larder inspect STORE "
          + "--schema.")
    }
  }
}
