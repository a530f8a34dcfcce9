/// One model's change in a transaction.
public enum HistoryChange: Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

  /// The model that was changed. A deleted one's identifier names nothing any more.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// A model that a transaction inserted.
public protocol HistoryInsert<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  /// The change's number.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it is of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A model that a transaction changed.
public protocol HistoryUpdate<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  typealias PropertyUpdate = any PartialKeyPath<Model> & Sendable

  /// The change's number.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it is of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// A model that a transaction deleted.
public protocol HistoryDelete<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  /// The change's number.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it is of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What it had in its attributes with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
