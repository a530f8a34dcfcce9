import Foundation
import LarderData
import LarderSQLite
package import SwiftData

extension SharedStore {
  package static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ModelConfiguration(url: URL(filePath: path)))
  }

  /// Makes what all of them share.
  package static func fill(_ path: String) throws {
    let context = ModelContext(try open(path))
    context.insert(Tally(name: "all"))
    for name in shelves { context.insert(Shelf(name: name)) }
    for writer in 0..<writers { context.insert(Progress(writer: writer)) }
    try context.save()
  }

  /// What is wrong with the store; nobody else may use it meanwhile.
  ///
  /// - Parameter promised: Of each writer the last save that had returned, and the last that had begun.
  package static func problems(_ path: String, promised: [(returned: Int, begun: Int)]) throws -> [String] {
    let container = try open(path)
    let context = ModelContext(container)
    var problems: [String] = []
    let database = container.store.database
    let integrity = try database.read { try $0.string("PRAGMA integrity_check") }
    if integrity != "ok" { problems.append("integrity_check: \(integrity ?? "nothing")") }
    let keys = try database.read { try $0.int64("SELECT count(*) FROM pragma_foreign_key_check") }
    if keys != 0 { problems.append("foreign_key_check: \(keys ?? -1) rows") }

    let progress = try context.fetch(FetchDescriptor<Progress>(sortBy: [SortDescriptor(\.writer)]))
    for (writer, promise) in promised.enumerated() {
      let save = progress[writer].save
      if save < promise.returned || save > promise.begun {
        problems.append("writer \(writer): \(promise.returned) had returned, \(promise.begun) begun, there is \(save)")
      }
    }
    let saves = progress.reduce(0) { $0 + $1.save }
    let tallies = try context.fetch(FetchDescriptor<Tally>())
    let items = try context.fetch(FetchDescriptor<Item>())
    if tallies.count != 1 || tallies[0].saves != saves {
      problems.append("\(saves) saves, and a tally of \(tallies.map(\.saves))")
    }
    if tallies.reduce(0, { $0 + $1.saves - $1.deletions }) != items.count {
      problems.append("\(items.count) items, and a tally of \(tallies.map { $0.saves - $0.deletions })")
    }
    if Set(items.map { "\($0.writer)/\($0.save)" }).count != items.count { problems.append("an item is there twice") }
    if let item = items.first(where: { $0.shelf == nil }) { problems.append("item \(item.save) is on no shelf") }
    for shelf in try context.fetch(FetchDescriptor<Shelf>()) where shelf.count != shelf.items.count {
      problems.append("shelf \(shelf.name) has \(shelf.items.count) items, and counts \(shelf.count)")
    }
    for (writer, one) in progress.enumerated() {
      let author = author(writer)
      let transactions = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == author })
      ).count
      if transactions != one.save {
        problems.append("writer \(writer): \(one.save) saves, and \(transactions) transactions in the history")
      }
    }
    return problems
  }
}
