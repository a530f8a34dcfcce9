/// A change of one model in a transaction.
public enum HistoryChange: Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

  /// The identifier of the changed model. The identifier of a deleted model references no row any more.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// An insert of a model in a transaction.
public protocol HistoryInsert<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction that contains the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the inserted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An update of a model in a transaction.
public protocol HistoryUpdate<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  typealias PropertyUpdate = any PartialKeyPath<Model> & Sendable

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction that contains the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the updated model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The key paths of the changed properties.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// A deletion of a model in a transaction.
public protocol HistoryDelete<Model>: Sendable {
  associatedtype Model
  associatedtype TransactionIdentifier
  associatedtype ChangeIdentifier

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction that contains the change.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values of the deleted model's attributes with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
