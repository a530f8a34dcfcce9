import LarderSQLite
import LarderSupport

/// A transaction's changes, in the models of the container that asks: made when somebody asks, since a transaction may be of
/// many rows.
final class HistoryContents: Sendable {
  private let transaction: Int64
  private let text: String
  private let store: SQLiteStore
  private let container: ContainerCore

  private struct Cache {
    var record: HistoryRecord?
    var changes: [HistoryChange]?
  }
  private let cache = Locked(Cache())

  init(_ text: String, transaction: Int64, store: SQLiteStore, _ container: ContainerCore) {
    self.transaction = transaction
    self.text = text
    self.store = store
    self.container = container
  }

  /// Whether somebody has asked.
  var isExpanded: Bool { cache.withLock { $0.changes != nil } }

  /// What whoever asks for the transaction has made sure of can be read.
  var changes: [HistoryChange] {
    if let changes = cache.withLock({ $0.changes }) { return changes }
    var writer = HistoryChangeBuilder(transaction: transaction)
    for (entity, layout) in knownEntities {
      writer.appendChanges(entity, layout.type, layout, .of(store: store.identifier, entity: layout.entityName))
    }
    let changes = writer.changes
    cache.withLock { $0.changes = changes }
    return changes
  }

  /// The models that it has changed something of.
  var layouts: [_ModelLayout] { knownEntities.filter { !$0.entity.isEmpty }.map(\.layout) }

  /// What it says of models that the container has, in the order of their names.
  private var knownEntities: [(entity: HistoryRecord.Entity, layout: _ModelLayout)] {
    do {
      return try record().entities.inOrder { $0.key < $1.key }.compactMap { name, entity in
        // Of another store, where the container has several, an entity of the same name is another one.
        guard let layout = container.layout(named: name),
          container.stores[container.storeIndex(of: layout)].store === store
        else { return nil }
        return (entity, layout)
      }
    } catch {
      Log.warning("\(error)")
      return []
    }
  }

  /// - Throws: ``StoreError`` where they cannot be read.
  func validate() throws { _ = try record() }

  private func record() throws -> HistoryRecord {
    if let record = cache.withLock({ $0.record }) { return record }
    do {
      let record = try HistoryRecord(text)
      cache.withLock { $0.record = record }
      return record
    } catch {
      throw StoreError(
        .corrupt, store.errorURL,
        "The history's transaction \(transaction) cannot be read (\(error)). Delete the history up to it, and start from "
          + "the store as it is.")
    }
  }
}

/// Makes changes of what a record says of an entity.
private struct HistoryChangeBuilder {
  let transaction: Int64
  private(set) var changes: [HistoryChange] = []

  init(transaction: Int64) { self.transaction = transaction }

  /// Unlike any other of the store.
  private var nextIdentifier: Int64 { transaction &<< 32 | Int64(changes.count) }

  mutating func appendChanges<Model: PersistentModel>(
    _ record: HistoryRecord.Entity, _ type: Model.Type, _ layout: _ModelLayout, _ identity: EntityIdentity
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
      changes.append(
        .delete(
          DefaultHistoryDelete<Model>(
            changeIdentifier: nextIdentifier, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier(row),
            tombstone: HistoryTombstone(layout, record.tombstones[row] ?? [:]))))
    }
  }
}

extension PropertyLayout {
  /// The property's key path from a class that has it, or nil for a class that doesn't.
  fileprivate func sendableKeyPath<Model>(of type: Model.Type) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let keyPath = keyPaths.lazy.compactMap({ $0 as? PartialKeyPath<Model> }).last else { return nil }
    // Sendable leaves no trace in a value, so this changes nothing but the static type. What `@Model` writes captures
    // nothing.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}
