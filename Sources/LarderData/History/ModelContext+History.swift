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
    var found = core.asksStores ? try core.historyOfStores(descriptor) : nil
    if core.hasOwnStores, let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>,
      let transactions = try core.fetchHistory(own, ofBacked: false) as? [T]
    {
      found = (found ?? []) + transactions
    }
    guard let found else { throw core.unknownTransactions(T.self) }
    return found
  }

  /// Forgets transactions. Whoever has not read up to the last of them is told so when he asks for what follows his token.
  ///
  /// - Throws: As ``fetchHistory(_:)``.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
    var isKnown = core.asksStores ? try core.deleteHistoryOfStores(descriptor) : false
    if core.hasOwnStores, let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> {
      try core.deleteHistory(own)
      isKnown = true
    }
    if !isKnown { throw core.unknownTransactions(T.self) }
  }
}

extension ContextCore {
  /// What follows a token.
  func transactions(after token: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    try fetchHistory(HistoryDescriptor(predicate: #Predicate { $0.token > token }), ofBacked: true)
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
  ///   - readable: Whether the changes of what is found must be readable.
  ///   - ofBacked: Whether to tell of the rows in memory before other kinds of stores, too.
  ///   - looked: Up to which transaction of each store nothing is left to be found.
  fileprivate func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, readable: Bool = true, ofBacked: Bool,
    beyond looked: [String: Int64] = [:]
  ) throws -> [DefaultHistoryTransaction] {
    let sessions = ofBacked ? sessions : sessions.filter { $0.store.backing == nil }
    let bounds = HistoryBounds(descriptor.predicate)
    let limit = descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit)
    // What comes first in some other order is known at the end only.
    let isByNumber = descriptor.sortBy.isEmpty || descriptor.isByNumberAlone
    let storeLimit = isByNumber && (descriptor.sortBy.isEmpty || sessions.count == 1) ? limit : nil
    let descending = storeLimit != nil && descriptor.sortBy.first?.order == .reverse
    var found: [DefaultHistoryTransaction] = []
    var numbers = bounds.after?.numbers ?? [:]
    if !numbers.isEmpty, !sessions.contains(where: { numbers[$0.store.identifier] != nil }) {
      throw SwiftDataError.historyTokenExpired.explained(
        "The token is of none of the container's stores: they were made anew, or others are open. Read the stores as they "
          + "are, and go on from their newest token.")
    }
    for session in sessions {
      // The last commit, also of another process: a snapshot may be some milliseconds older.
      session.endLease()
      found += try StoreError.wrapping(session.store.errorURL, "reading the history") {
        try session.read { connection in
          let reader = HistoryReader(store: session.store, container: container, connection: connection)
          if numbers[session.store.identifier] == nil { numbers[session.store.identifier] = try reader.start() }
          return try reader.transactions(
            bounds.beyond(looked[session.store.identifier] ?? 0), descriptor.predicate, limit: storeLimit,
            descending: descending, readable: readable)
        }
      }
    }
    if sessions.count > 1 { found = merged(found, after: numbers) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  /// Transactions of several stores, in the order of their times and in each store in that of their numbers. Each token
  /// stands for all that come before it.
  private func merged(
    _ transactions: [DefaultHistoryTransaction], after read: [String: Int64]
  ) -> [DefaultHistoryTransaction] {
    var queues = Dictionary(grouping: transactions, by: \.storeIdentifier).mapValues { $0[...] }
    var numbers = read
    var result: [DefaultHistoryTransaction] = []
    while let next = queues.compactMapValues(\.first).min(by: {
      ($0.value.timestamp, $0.key) < ($1.value.timestamp, $1.key)
    }) {
      var transaction = next.value
      queues[next.key]?.removeFirst()
      numbers[next.key] = transaction.transactionIdentifier
      transaction.token = DefaultHistoryToken(numbers)
      result.append(transaction)
    }
    return result
  }

  /// How many transactions are deleted at once, and in memory meanwhile.
  private static let deletionBatch = 512

  fileprivate func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    var part = descriptor
    // What comes after a token must all be there, so it is found before any of it goes. An order or a limit of one's own is
    // one of the whole.
    let isInParts =
      descriptor.sortBy.isEmpty && descriptor.fetchLimit == 0 && HistoryBounds(descriptor.predicate).after == nil
    if isInParts { part.fetchLimit = UInt64(ContextCore.deletionBatch) }
    var looked: [String: Int64] = [:]
    while true {
      let found = try fetchHistory(part, readable: false, ofBacked: false, beyond: looked)
      try delete(found)
      for transaction in found { looked[transaction.storeIdentifier] = transaction.transactionIdentifier }
      if !isInParts || found.count < ContextCore.deletionBatch { return }
    }
  }

  private func delete(_ transactions: [DefaultHistoryTransaction]) throws {
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
