public import Foundation

/// The changes of one commit.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of the token that marks a position in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of a transaction's number in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes, model by model.
  var changes: [HistoryChange] { get }
  /// The token to store, for fetching the transactions after this one.
  var token: TokenType { get }
  /// The number of the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the transaction's store.
  var storeIdentifier: String { get }
  /// The author of the changes: the context's ``ModelContext/author``.
  var author: String? { get }
}

/// A position in a store's history, after which a caller continues to read.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  associatedtype TokenType: Codable & Hashable & Sendable

  /// The value of the token.
  var tokenValue: TokenType? { get }
}

/// A store that records a history.
public protocol HistoryProviding {
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions.
  static var historyType: HistoryType.Type { get }
  /// Returns the transactions that match a descriptor.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the transactions that match a descriptor.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
