public import Foundation

/// What one commit changed in a store of this package.
public struct DefaultHistoryTransaction: HistoryTransaction {
  public typealias TransactionIdentifier = Int64
  public typealias TokenType = DefaultHistoryToken

  /// Its number in its store. Later transactions have greater ones.
  public let transactionIdentifier: Int64
  public let timestamp: Date
  /// What to keep, to ask for what follows it.
  public internal(set) var token: DefaultHistoryToken
  public let storeIdentifier: String
  /// The program that saved: its bundle's identifier, or its name where it has none.
  public let bundleIdentifier: String
  /// The process that saved, by its number.
  public let processIdentifier: String
  public let author: String?

  let contents: HistoryContents

  public var id: Int64 { transactionIdentifier }

  /// What it changed: entity by entity, of each first what was inserted, then what was updated, then what was deleted, each
  /// in the order of the identifiers. Models of classes that the container does not have are left out.
  public var changes: [HistoryChange] { contents.changes }

  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
