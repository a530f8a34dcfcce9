import Foundation
import LarderSQLite
import LarderSupport

extension ModelContext {
  /// What was saved to the container's stores, transaction by transaction: by contexts of this process and of others.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
  /// let transactions = try context.fetchHistory(descriptor)
  /// ```
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions that follow the predicate's token are gone. The
  ///   predicate says so by `$0.token > token`, or `>=`, alone or joined to others by `&&`; numbers of transactions, and
  ///   conditions in other places, ask for what there is;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` for transactions of a type that the stores do not have;
  ///   ``StoreError``.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
    guard let found = try core.history(descriptor) else { throw core.unknownTransactions(T.self) }
    return found
  }

  /// Forgets transactions. Whoever has not read up to the last of them is told so when he asks for what follows his token.
  ///
  /// All of the container's stores look for what is to go before any of them forgets it, and those of other kinds than SQLite
  /// forget first: where one refuses, the others have lost nothing.
  ///
  /// - Throws: As ``fetchHistory(_:)``; ``SwiftDataError/invalidTransactionFetchRequest`` for `$0.token == token` where the
  ///   token is of several of the container's stores: it is that of a transaction in each. Say `<=`.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    guard try core.forgetHistory(descriptor) else { throw core.unknownTransactions(T.self) }
  }
}

extension ContextCore {
  /// The transactions of a type; nil where no store has such.
  fileprivate func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard asksStores else { return try ownHistory(descriptor) }
    if sessions.count == 1, let backing = sessions[0].store.backing {
      return try backing.exclusively { try backing.fetchHistory(descriptor) }
    }
    return try HistorySearch(descriptor, in: self).transactions()
  }

  /// - Returns: Whether some store has transactions of the type.
  fileprivate func forgetHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    if asksStores {
      if sessions.count == 1, let backing = sessions[0].store.backing {
        return try backing.exclusively { try backing.deleteHistory(descriptor) }
      }
      return try HistorySearch(descriptor, in: self, readable: false).forget()
    }
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try forget(own)
    return true
  }

  /// What SQLite's stores have of a type; nil where they have no such.
  func ownHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try fetchHistory(own, in: sessions.filter { $0.store.backing == nil }) as? [T]
  }

  fileprivate func unknownTransactions(_ type: any HistoryTransaction.Type) -> any Error {
    // No store of any kind has a history.
    if !hasOwnStores, sessions.allSatisfy({ $0.store.backing?.hasHistory != true }) {
      return DataStoreError.unsupportedFeature
    }
    return SwiftDataError.invalidTransactionFetchRequest.explained(
      "The container's stores have no transactions of type \(type). Ask for "
        + "\(hasOwnStores ? "DefaultHistoryTransaction" : "those of the data store's historyType").")
  }

  /// - Parameters:
  ///   - sessions: Of which stores; rows in memory before one of another kind have a history, too.
  ///   - readable: Whether the changes of what is found must be readable.
  ///   - looked: Up to which transaction of each store nothing is left to be found.
  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, in sessions: [StoreSession], readable: Bool = true,
    beyond looked: [String: Int64] = [:]
  ) throws -> [DefaultHistoryTransaction] {
    let question = HistoryQuestion.current
    let readable = readable && question?.isReadable ?? true
    let bounds = HistoryBounds(descriptor.predicate)
    let limit = descriptor.limit
    // What comes first in some other order is known at the end only.
    let isByNumber = descriptor.sortBy.isEmpty || descriptor.isByNumberAlone
    let storeLimit = isByNumber && (descriptor.sortBy.isEmpty || sessions.count == 1) ? limit : nil
    let descending = storeLimit != nil && descriptor.sortBy.first?.order == .reverse
    var found: [DefaultHistoryTransaction] = []
    var numbers = bounds.after?.numbers ?? [:]
    // One that is asked together with others need not be one of those that the token is of.
    if question == nil { try bounds.after?.requireOne(of: Set(sessions.map(\.store.identifier))) }
    for session in sessions {
      // The last commit, also of another process: a snapshot may be some milliseconds older.
      session.endLease()
      found += try StoreError.wrapping(session.store.errorURL, "reading the history") {
        try session.read { connection in
          let reader = HistoryReader(store: session.store, container: container, connection: connection)
          if numbers[session.store.identifier] == nil { numbers[session.store.identifier] = try reader.start() }
          if let question {
            question.note(session.store.identifier, start: try reader.start(), end: try reader.end())
          }
          return try reader.transactions(
            bounds.beyond(looked[session.store.identifier] ?? 0), descriptor.predicate, limit: storeLimit,
            descending: descending, readable: readable)
        }
      }
    }
    if sessions.count > 1 {
      found = HistoryMerging.merged(found) { $0 }
      HistoryMerging.stamp(&found, after: numbers)
    }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  // MARK: Forgetting

  /// How many transactions are deleted at once, and in memory meanwhile.
  private static let deletionBatch = 512

  /// Looks for what is to go in SQLite's stores, and forgets it.
  private func forget(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let bounds = HistoryBounds(descriptor.predicate)
    try bounds.requireOneMeaning(in: Set(sessions.map(\.store.identifier)))
    var part = descriptor
    // What comes after a token must all be there, so it is found before any of it goes. An order or a limit of one's own is
    // one of the whole.
    let isInParts = descriptor.sortBy.isEmpty && descriptor.fetchLimit == 0 && bounds.after == nil
    if isInParts {
      part.fetchLimit = 1
      // Before anything goes elsewhere.
      for session in sessions where session.store.isReadOnly {
        try requireForgettable(try fetchHistory(part, in: [session], readable: false))
      }
      part.fetchLimit = UInt64(ContextCore.deletionBatch)
    }
    var looked: [String: Int64] = [:]
    while true {
      let found = try fetchHistory(part, in: sessions, readable: false, beyond: looked)
      try requireForgettable(found)
      try forget(found)
      for transaction in found { looked[transaction.storeIdentifier] = transaction.transactionIdentifier }
      if !isInParts || found.count < ContextCore.deletionBatch { return }
    }
  }

  /// - Throws: ``StoreError`` where some of them are in a store that is only read.
  func requireForgettable(_ transactions: [DefaultHistoryTransaction]) throws {
    let concerned = Set(transactions.map(\.storeIdentifier))
    for store in sessions.map(\.store) where store.isReadOnly && concerned.contains(store.identifier) {
      throw StoreError(
        .readOnly, store.errorURL,
        "\(store.errorURL?.path ?? "The store in memory") was opened with allowsSave: false, and its history stays. Open it for "
          + "saving, or name transactions of other stores. Nothing was deleted.")
    }
  }

  /// Forgets transactions of SQLite's stores.
  func forget(_ transactions: [DefaultHistoryTransaction]) throws {
    let found = Dictionary(grouping: transactions, by: \.storeIdentifier)
    for session in sessions {
      let numbers = (found[session.store.identifier] ?? []).map(\.transactionIdentifier).inOrder()
      for start in stride(from: 0, to: numbers.count, by: ContextCore.deletionBatch) {
        let batch = numbers[start..<min(start + ContextCore.deletionBatch, numbers.count)]
        try delete(Array(batch), in: session)
      }
    }
  }

  private func delete(_ numbers: [Int64], in session: StoreSession) throws {
    try StoreError.wrapping(session.store.errorURL, "deleting history") {
      try session.write { connection in
        try connection.withStatement(for: "DELETE FROM \(HistoryTable.name) WHERE number = ?1") { statement in
          for number in numbers {
            statement.bind(1, number)
            try statement.run()
          }
        }
        try Bookkeeping.setHistoryDeleted(numbers.last ?? 0, on: connection)
        try Bookkeeping.account(on: connection)
      }
    }
  }
}

extension HistoryDescriptor<DefaultHistoryTransaction> {
  /// Whether the order is that of the numbers, or the reverse.
  fileprivate var isByNumberAlone: Bool {
    guard sortBy.count == 1, let keyPath = sortBy[0].keyPath else { return false }
    return HistoryBounds.places.contains(keyPath)
  }
}
