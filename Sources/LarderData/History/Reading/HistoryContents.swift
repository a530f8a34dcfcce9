import LarderSQLite

/// A transaction's changes, in the models of the container that asks; put into words when somebody reads them.
final class HistoryContents: Sendable {
  // @unchecked: layouts are immutable.
  private struct Section: @unchecked Sendable {
    let layout: ModelLayout
    let identity: EntityIdentity
    let record: HistoryRecord.Entity
  }

  private let transaction: Int64
  private let sections: [Section]
  private let made = Locked<[HistoryChange]?>(nil)

  init(_ record: HistoryRecord, transaction: Int64, store: SQLiteStore, _ container: ContainerCore) {
    self.transaction = transaction
    sections = record.entities.sorted { $0.key < $1.key }.compactMap { name, record in
      // Of another store, where the container has several, an entity of the same name is another one.
      guard let layout = container.layout(named: name),
        container.stores[container.place(of: layout)].store === store
      else { return nil }
      return Section(layout: layout, identity: .of(store: store.identifier, entity: name), record: record)
    }
  }

  var changes: [HistoryChange] {
    if let made = made.withLock({ $0 }) { return made }
    var writer = HistoryChangeWriter(transaction: transaction)
    for section in sections { writer.add(section.record, section.layout.type, section.layout, section.identity) }
    let changes = writer.changes
    made.withLock { $0 = changes }
    return changes
  }
}

/// Makes changes of what a record says of an entity.
private struct HistoryChangeWriter {
  let transaction: Int64
  private(set) var changes: [HistoryChange] = []

  init(transaction: Int64) { self.transaction = transaction }

  /// Unlike any other of the store.
  private var nextIdentifier: Int64 { transaction &<< 32 | Int64(changes.count) }

  mutating func add<Model: PersistentModel>(
    _ record: HistoryRecord.Entity, _ type: Model.Type, _ layout: ModelLayout, _ identity: EntityIdentity
  ) {
    func identifier(_ row: Int64) -> PersistentIdentifier {
      PersistentIdentifier(identity: identity, key: row, isSaved: true)
    }
    for row in record.inserted {
      changes.append(
        .insert(
          DefaultHistoryInsert<Model>(
            changeIdentifier: nextIdentifier, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier(row))))
    }
    for (names, rows) in record.updated {
      let attributes = names.compactMap { layout.property(named: $0)?.sendableKeyPath(of: type) }
      for row in rows {
        changes.append(
          .update(
            DefaultHistoryUpdate<Model>(
              changeIdentifier: nextIdentifier, transactionIdentifier: transaction,
              changedPersistentIdentifier: identifier(row), updatedAttributes: attributes)))
      }
    }
    for row in record.deleted {
      let values = record.tombstones[row].map { layout.preserved($0) } ?? []
      changes.append(
        .delete(
          DefaultHistoryDelete<Model>(
            changeIdentifier: nextIdentifier, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier(row), tombstone: HistoryTombstone(values))))
    }
  }
}

extension PropertyLayout {
  /// The property's key path from a class that has it, or nil for a class that doesn't.
  fileprivate func sendableKeyPath<Model>(of type: Model.Type) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let keyPath = keyPaths.lazy.compactMap({ $0 as? PartialKeyPath<Model> }).last else { return nil }
    // A marker has no witness, so both are one reference. What `@Model` writes captures nothing.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}

extension ModelLayout {
  /// The values that a row had in attributes with `.preserveValueOnDeletion`, as far as they are such still.
  fileprivate func preserved(_ stored: [String: StoredValue]) -> [(keyPaths: [AnyKeyPath], value: Any)] {
    properties.compactMap { property in
      guard property.attribute?.isPreservedOnDeletion ?? false else { return nil }
      let names = property.placement.external.map { [$0.property] } ?? columns[property.columns].map(\.name)
      let values = names.compactMap { stored[$0] }
      guard values.count == names.count, let value = property.codec.value(of: values, self) else { return nil }
      return (property.keyPaths, value)
    }
  }
}
