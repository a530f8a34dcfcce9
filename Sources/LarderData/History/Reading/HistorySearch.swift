import Foundation
import LarderSupport

/// A question to a container with several stores, of which some are asked by requests. All of them have answered before
/// anything is made of it: whichever refuses, nothing is forgotten in another.
struct HistorySearch<Transaction: HistoryTransaction> {
  /// What one store has answered, or all of SQLite's together.
  private struct Part {
    /// nil where these are SQLite's.
    let backing: StoreBacking?
    let transactions: [Transaction]
  }

  private struct Found {
    /// Which part it is of.
    let part: Int
    var transaction: Transaction
  }

  private let core: ContextCore
  private let descriptor: HistoryDescriptor<Transaction>
  private let question: HistoryQuestion
  private let parts: [Part]

  /// - Parameter readable: Whether the changes of what is found must be readable.
  init(_ descriptor: HistoryDescriptor<Transaction>, in core: ContextCore, readable: Bool = true) throws {
    let question = HistoryQuestion(readable: readable)
    var asked = descriptor
    // What comes first in some order of all is known at the end only.
    if !asked.sortBy.isEmpty {
      asked.sortBy = []
      asked.fetchLimit = 0
    }
    // Whether there is any at all: it is looked for again as it goes, part by part.
    if !readable, descriptor.isForgottenInParts { asked.fetchLimit = 1 }
    let request = asked
    var parts: [Part] = []
    for session in core.sessions {
      guard let backing = session.store.backing else { continue }
      let found = try backing.exclusively { try question.ask { try backing.fetchHistory(request) } }
      if let found { parts.append(Part(backing: backing, transactions: found)) }
    }
    if core.hasOwnStores, let found = try question.ask({ try core.ownHistory(request) }) {
      parts.append(Part(backing: nil, transactions: found))
    }
    self.core = core
    self.descriptor = descriptor
    self.question = question
    self.parts = parts
    try bounds?.after?.requireOne(of: stores)
  }

  private var bounds: HistoryBounds? {
    (descriptor as? HistoryDescriptor<DefaultHistoryTransaction>).map { HistoryBounds($0.predicate) }
  }

  /// Those of the container, and those of SQLite that others are made around.
  private var stores: Set<String> { Set(question.starts.keys).union(core.sessions.map(\.store.identifier)) }

  /// What was asked for; nil where no store has transactions of the type.
  func transactions() -> [Transaction]? { parts.isEmpty ? nil : selected().map(\.transaction) }

  private func selected() -> [Found] {
    let all = parts.indices.flatMap { part in
      parts[part].transactions.map { Found(part: part, transaction: $0) }
    }
    var found = HistoryMerging.merged(all, by: \.transaction)
    if var own = found.map(\.transaction) as? [DefaultHistoryTransaction] {
      let read = question.starts.merging(bounds?.after?.numbers ?? [:]) { $1 }
      HistoryMerging.stamp(&own, after: read)
      if let stamped = own as? [Transaction] {
        for (place, transaction) in stamped.enumerated() { found[place].transaction = transaction }
      }
    }
    if !descriptor.sortBy.isEmpty { found.sort { descriptor.isInOrder($0.transaction, $1.transaction) } }
    return descriptor.limit.map { Array(found.prefix($0)) } ?? found
  }

  /// Forgets what was asked for.
  ///
  /// - Returns: Whether some store has transactions of the type.
  func forget() throws -> Bool {
    if parts.isEmpty { return false }
    try bounds?.requireOneMeaning(in: stores)
    if descriptor.isForgottenInParts { return try forgetAll() }
    let found = selected()
    let own = found.filter { parts[$0.part].backing == nil }.map(\.transaction) as? [DefaultHistoryTransaction] ?? []
    try core.requireForgettable(own)
    for part in parts.indices {
      let count = found.count { $0.part == part }
      guard let backing = parts[part].backing, count > 0 else { continue }
      var share = descriptor
      // The first of all in an order are the first of each store in it.
      if share.fetchLimit > 0 { share.fetchLimit = UInt64(count) }
      let request = share
      _ = try backing.exclusively { try question.ask { try backing.deleteHistory(request) } }
    }
    try core.forget(own)
    return true
  }

  private func forgetAll() throws -> Bool {
    let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>
    if let own { try core.requireForgettable(own) }
    let request = descriptor
    for backing in parts.compactMap(\.backing) {
      _ = try backing.exclusively { try question.ask { try backing.deleteHistory(request) } }
    }
    if let own, core.hasOwnStores { try core.forget(own) }
    return true
  }
}
