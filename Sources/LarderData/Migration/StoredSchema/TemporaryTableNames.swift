import LarderSupport

/// What the former tables are called while the new ones are being made.
package struct TemporaryTableNames {
  private var renamed: [String: String] = [:]

  package init() {}

  /// A table's name by now.
  package subscript(table: String) -> String { renamed[table] ?? table }

  package mutating func rename(_ table: String) {
    if renamed[table] == nil { renamed[table] = "\(StoreFormat.prefix)former_\(renamed.count + 1)" }
  }

  package var renames: [(from: String, to: String)] { renamed.map { ($0.key, $0.value) }.inOrder { $0.to < $1.to } }
}
