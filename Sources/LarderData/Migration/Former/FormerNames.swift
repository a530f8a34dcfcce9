import LarderSupport

/// What the former tables are called while the new ones are being made.
package struct FormerNames {
  private var moved: [String: String] = [:]

  package init() {}

  /// A table's name by now.
  package subscript(table: String) -> String { moved[table] ?? table }

  package mutating func move(_ table: String) {
    if moved[table] == nil { moved[table] = "\(StoreFormat.prefix)former_\(moved.count + 1)" }
  }

  package var all: [(from: String, to: String)] { moved.map { ($0.key, $0.value) }.inOrder { $0.to < $1.to } }
}
