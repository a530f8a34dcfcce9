import Foundation
import LarderData
import SwiftData
import Testing

/// The history of a container that has a store of one's own, around one of SQLite, beside one of SQLite.
@Suite struct SeveralHistoriesTests {
  let folder = TestFolder()

  private struct Scene {
    let container: ModelContainer
    let wrapping: Wrapping
    let context: ModelContext
    /// A crate, which is in the first of the stores, and a passport, three times.
    let all: [Transaction]
    let crates: String
    let passports: String
  }

  private func scene() throws -> Scene {
    let wrapping = Wrapping(folder.url("crates.store"))
    let container = try ModelContainer(
      for: Schema([Crate.self, Passport.self]),
      configurations: [
        WrappedConfiguration(wrapping: wrapping, schema: Schema([Crate.self])),
        ModelConfiguration("passports", schema: Schema([Passport.self]), url: folder.url("passports.store")),
      ])
    let context = ModelContext(container)
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
      context.insert(Passport(number: number, holder: "\(number)"))
      try context.save()
    }
    let all = try context.history()
    try #require(all.count == 6)
    return Scene(
      container: container, wrapping: wrapping, context: context, all: all, crates: all[0].storeIdentifier,
      passports: all[1].storeIdentifier)
  }

  @Test func storesOfSeveralKindsAreReadAsOne() throws {
    let scene = try scene()
    let (context, all) = (scene.context, scene.all)
    #expect(
      all.map { $0.changes.map(\.summary) } == (0..<6).map { [["insert Crate"], ["insert Passport"]][$0 % 2] })
    #expect(scene.crates != scene.passports)
    for (place, transaction) in all.enumerated() {
      let token = transaction.token
      let rest = try context.history(#Predicate { $0.token > token })
      #expect(rest == Array(all[(place + 1)...]))
      #expect(rest.map(\.token) == all[(place + 1)...].map(\.token))
    }
    #expect(try context.currentHistoryToken() == all[5].token)
    // Of a store that a token says nothing of, nothing was read.
    for store in [scene.crates, scene.passports] {
      let token = DefaultHistoryToken([store: 2])
      let later = try context.history(#Predicate { $0.token > token })
      #expect(later.count == 4 && later.filter { $0.storeIdentifier == store }.map(\.id) == [3])
    }
    let stranger = DefaultHistoryToken(["another": 1])
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > stranger }) }
  }

  @Test func aLimitIsOfAllStores() throws {
    let scene = try scene()
    let (context, all) = (scene.context, scene.all)
    #expect(try context.history(limit: 3) == Array(all.prefix(3)))
    let newest = [SortDescriptor(\Transaction.timestamp, order: .reverse)]
    #expect(try context.history(limit: 2, sortBy: newest) == [all[5], all[4]])
    #expect(try context.history(limit: 1, sortBy: [SortDescriptor(\.token, order: .reverse)]).first == all[5])
    var first = HistoryDescriptor<Transaction>()
    first.fetchLimit = 3
    try context.deleteHistory(first)
    #expect(try context.history() == Array(all[3...]))
    var last = HistoryDescriptor<Transaction>(predicate: nil, sortBy: newest)
    last.fetchLimit = 1
    try context.deleteHistory(last)
    #expect(try context.history() == Array(all[3..<5]))
  }

  /// Each store is asked by what a token says of that store, however many tokens there are, and wherever they stand.
  @Test func severalTokensAreAskedOfEachStore() throws {
    let scene = try scene()
    try checkTokens(scene.context, scene.all)
    let two = try TwoStores()
    let context = two.context()
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
      context.insert(Sensor("\(number)"))
      try context.save()
    }
    try checkTokens(context, try context.history())
  }

  private func checkTokens(_ context: ModelContext, _ all: [Transaction]) throws {
    let (second, fourth) = (all[1].token, all[3].token)
    let outer = [all[0], all[1], all[4], all[5]]
    #expect(try context.history(#Predicate { $0.token <= second || $0.token > fourth }) == outer)
    #expect(try context.history(#Predicate { !($0.token > second && $0.token <= fourth) }) == outer)
    #expect(try context.history(#Predicate { $0.token == second }) == Array(all[..<2]))
    #expect(try context.history(#Predicate { $0.token != second }) == Array(all[2...]))
    let both = [second, fourth]
    #expect(try context.history(#Predicate { both.contains($0.token) }) == Array(all[..<4]))
    try context.deleteHistory(
      HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= second || $0.token > fourth }))
    #expect(try context.history() == Array(all[2..<4]))
  }

  @Test func aRefusalForgetsNothing() throws {
    let scene = try scene()
    let (context, all, passports) = (scene.context, scene.all, scene.passports)
    scene.wrapping.beforeForgetting = { throw CocoaError(.fileWriteOutOfSpace) }
    #expect(throws: CocoaError.self) { try context.deleteHistory(HistoryDescriptor<Transaction>()) }
    #expect(try context.history() == all)
    scene.wrapping.beforeForgetting = {}
    try context.deleteHistory(
      HistoryDescriptor<Transaction>(
        predicate: #Predicate { $0.storeIdentifier == passports && $0.transactionIdentifier <= 2 }))
    let left = [all[0], all[2], all[4], all[5]]
    #expect(try context.history() == left)
    // What follows the first is not all there in one of the two.
    let first = all[0].token
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token > first }))
    }
    #expect(try context.history() == left)
    let fourth = all[3].token
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= fourth }))
    #expect(try context.history() == [all[4], all[5]])
  }

  @Test(.directly("two data stores are asked one after the other")) func aStoreThatIsOnlyReadRefusesForAll() throws {
    let folder = TestFolder()
    do {
      let context = try TwoStores(in: folder).context()
      context.insert(Crate(number: 1))
      context.insert(Sensor("a"))
      try context.save()
    }
    let context = try TwoStores(in: folder, sensorsAllowSave: false).context()
    let error = #expect(throws: StoreError.self) { try context.deleteHistory(HistoryDescriptor<Transaction>()) }
    #expect(error?.code == .readOnly)
    #expect(try context.history().count == 2)
  }

  @Test func aTokenOfSeveralStoresIsNoTransaction() throws {
    let scene = try scene()
    try check(scene.context, scene.all)
    let two = try TwoStores()
    let context = two.context()
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
      context.insert(Sensor("\(number)"))
      try context.save()
    }
    try check(context, try context.history())
  }

  private func check(_ context: ModelContext, _ all: [Transaction]) throws {
    let token = try #require(all.last).token
    let error = #expect(throws: SwiftDataError.self) {
      try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token == token }))
    }
    #expect(error == .invalidTransactionFetchRequest && error?.explanation?.contains("<=") == true)
    #expect(try context.history() == all)
    // One of a single store is that of one transaction.
    let first = DefaultHistoryToken([all[0].storeIdentifier: 1])
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token == first }))
    #expect(try context.history() == Array(all[1...]))
  }
}
