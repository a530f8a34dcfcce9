public import Foundation

/// What one commit changed.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// What tells how far somebody has read.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// What numbers a store's transactions.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When it was saved.
  var timestamp: Date { get }
  /// What it changed, model by model.
  var changes: [HistoryChange] { get }
  /// What to keep, to ask for what follows it.
  var token: TokenType { get }
  /// Its number in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that it is of.
  var storeIdentifier: String { get }
  /// Who made it: the context's ``ModelContext/author``.
  var author: String? { get }
}

/// A place in a store's history, from which somebody goes on reading.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  associatedtype TokenType: Codable & Hashable & Sendable

  /// What the token is made of.
  var tokenValue: TokenType? { get }
}

/// A kind of store that keeps a history.
public protocol HistoryProviding {
  associatedtype HistoryType: HistoryTransaction

  /// The type of its transactions.
  static var historyType: HistoryType.Type { get }
  /// The transactions that a descriptor asks for.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Forgets the transactions that a descriptor asks for.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
