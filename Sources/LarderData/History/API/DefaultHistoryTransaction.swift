public import Foundation

/// The changes of one commit in an SQLite store.
public struct DefaultHistoryTransaction: HistoryTransaction {
  public typealias TransactionIdentifier = Int64
  public typealias TokenType = DefaultHistoryToken

  /// The number of the transaction in its store. Later transactions have greater numbers.
  public let transactionIdentifier: Int64
  public let timestamp: Date
  /// The token to store, for fetching the transactions after this one.
  public internal(set) var token: DefaultHistoryToken
  public let storeIdentifier: String
  /// The program that saved: its bundle identifier, or its name if it has none.
  public let bundleIdentifier: String
  /// The ID of the process that saved.
  public let processIdentifier: String
  public let author: String?

  let contents: HistoryContents

  public var id: Int64 { transactionIdentifier }

  /// The changes, entity by entity: first the inserted models, then the updated ones, then the deleted ones, each in the order of
  /// their identifiers. Models of classes that the container does not have are left out.
  public var changes: [HistoryChange] { contents.changes }

  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
