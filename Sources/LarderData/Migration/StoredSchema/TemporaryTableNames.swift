import LarderSupport

/// The names of the former tables while the new ones are being created.
package struct TemporaryTableNames {
  private var renamed: [String: String] = [:]

  package init() {}

  /// Returns the current name of a table.
  package subscript(table: String) -> String { renamed[table] ?? table }

  package mutating func rename(_ table: String) {
    if renamed[table] == nil { renamed[table] = "\(StoreFormat.prefix)former_\(renamed.count + 1)" }
  }

  package var renames: [(from: String, to: String)] { renamed.map { ($0.key, $0.value) }.inOrder { $0.to < $1.to } }
}
