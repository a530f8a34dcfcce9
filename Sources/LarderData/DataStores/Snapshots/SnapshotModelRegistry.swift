import LarderSQLite
import LarderSupport

/// Which model a snapshot is one of: nothing in its coded form says what types its properties have.
enum SnapshotModelRegistry {
  /// The models of the store that is being called.
  @TaskLocal static var currentSchema: Schema?

  /// Those of the containers that were opened, by the names of their entities; of two with one name the later.
  private static let registered = Locked<[String: _ModelLayout]>([:])

  static func register(_ layouts: [_ModelLayout]) {
    registered.withLock { opened in for layout in layouts { opened[layout.entityName] = layout } }
  }

  static func layout(for identifier: PersistentIdentifier) -> _ModelLayout? {
    let name = identifier.entityName
    return currentSchema?.modelTypes[name]?._$layout ?? registered.withLock { $0[name] }
  }

  static func layout(for identifier: PersistentIdentifier, _ path: [any CodingKey]) throws -> _ModelLayout {
    if let layout = layout(for: identifier) { return layout }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: path,
        debugDescription:
          "There is no model \(identifier.entityName) in any container that was opened. Open one that has it."
      ))
  }
}
