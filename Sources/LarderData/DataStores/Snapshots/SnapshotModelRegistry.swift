import LarderSQLite
import LarderSupport

/// The models of snapshots by entity name: the encoded form of a snapshot does not name its properties' types.
enum SnapshotModelRegistry {
  /// The models of the data store that is being called.
  @TaskLocal static var currentSchema: Schema?

  /// The models of all opened containers, by entity name. If two models have the same name, the one registered later is kept.
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
