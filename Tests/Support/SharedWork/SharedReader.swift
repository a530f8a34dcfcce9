package import Foundation
import LarderData
import Observation
package import SwiftData

/// Follows what others save, by its token and by a live query, over its own end.
@MainActor
package final class SharedReader {
  /// What outlasts the process: how far it has read, and what it has counted.
  private struct Record: Codable {
    var token: DefaultHistoryToken?
    var last: Int64 = 0
    var counts: [String: Int] = [:]
  }

  private let container: ModelContainer
  private let observer: ResultsObserver<Item, Never>
  private let history: HistoryObserver
  private let file: URL
  private var record = Record()
  /// What the live query has told.
  private var shown: [PersistentIdentifier] = []
  package private(set) var problems: [String] = []

  /// - Parameter file: Keeps what outlasts the process.
  package init(_ container: ModelContainer, file: URL) throws {
    self.container = container
    self.file = file
    if let data = try? Data(contentsOf: file) { record = try JSONDecoder().decode(Record.self, from: data) }
    observer = try ResultsObserver(modelContext: container.mainContext)
    history = try HistoryObserver(
      historyTokens: record.token.map { token in
        Dictionary(uniqueKeysWithValues: token.tokenValue?.keys.map { ($0, token) } ?? [])
      },
      modelContainer: container)
  }

  package func follow() {
    Task {
      for await items in Observations({ [observer] in observer.results.map(\.persistentModelID) }) { shown = items }
    }
    Task {
      for await _ in Observations({ [history] in history.eventCounter }) {
        do { try readOn() } catch { problems.append("\(error)") }
      }
    }
  }

  /// Reads what follows the token: each transaction follows the one before.
  private func readOn() throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token = record.token { descriptor.predicate = #Predicate { $0.token > token } }
    let transactions = try container.mainContext.fetchHistory(descriptor)
    if transactions.isEmpty { return }
    for transaction in transactions {
      if transaction.transactionIdentifier != record.last + 1 {
        problems.append("transaction \(transaction.transactionIdentifier) follows \(record.last)")
      }
      record.last = transaction.transactionIdentifier
      record.token = transaction.token
      record.counts[transaction.author ?? "nobody", default: 0] += 1
    }
    try JSONEncoder().encode(record).write(to: file, options: .atomic)
  }

  /// Whether it has been told of everything that there is by now.
  package func isUpToDate() throws -> Bool {
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<Item>()).map(\.persistentModelID)
    for one in try context.fetch(FetchDescriptor<Progress>())
    where record.counts[SharedStore.author(one.writer), default: 0] != one.save { return false }
    return Set(shown) == Set(items)
  }

  package var state: String { "read up to \(record.last), \(record.counts), shows \(shown.count) items" }
}
