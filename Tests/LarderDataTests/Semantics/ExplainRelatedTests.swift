import Foundation
import SwiftData
import Testing

@testable import LarderData

/// What is advised for a condition on related objects, and that the advice, once followed, holds.
@Suite struct ExplainRelatedTests {
  private func context(_ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(
      place, Casket.self, Folio.self, Bolt.self, Stamp.self, IndexedCasket.self, IndexedFolio.self, IndexedBolt.self,
      IndexedStamp.self)
    return (store, store.context())
  }

  private func expect<Bare: PersistentModel, Indexed: PersistentModel>(
    _ suggestion: String, _ bare: Predicate<Bare>, _ indexed: Predicate<Indexed>, _ index: String,
    _ context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try context.explain(FetchDescriptor(predicate: bare))
    #expect(before.isScan, "\(before)", sourceLocation: sourceLocation)
    #expect(before.suggestion == suggestion, "\(before)", sourceLocation: sourceLocation)
    let after = try context.explain(FetchDescriptor(predicate: indexed))
    #expect(!after.isScan, "\(after)", sourceLocation: sourceLocation)
    #expect(after.suggestion == nil, "\(after)", sourceLocation: sourceLocation)
    #expect(after.indexes.contains(index), "\(after)", sourceLocation: sourceLocation)
  }

  @Test(arguments: StoreLocation.allCases)
  func toOne(_ place: StoreLocation) throws {
    let (_, context) = try context(place)
    let index = "larder_index_IndexedCasket(name)"
    try expect(
      "#Index<Casket>([\\.name])", #Predicate<Folio> { $0.casket?.name == "x" },
      #Predicate<IndexedFolio> { $0.casket?.name == "x" }, index, context)
    let name: String? = "x"
    try expect(
      "#Index<Casket>([\\.name])", #Predicate<Folio> { $0.casket?.name == name },
      #Predicate<IndexedFolio> { $0.casket?.name == name }, index, context)
    try expect(
      "#Index<Casket>([\\.name, \\.rank])", #Predicate<Folio> { $0.casket?.name == "x" && $0.casket?.rank == 2 },
      #Predicate<IndexedFolio> { $0.casket?.name == "x" && $0.casket?.rank == 2 },
      "larder_index_IndexedCasket(name,rank)", context)
    // Beside what may fail, too.
    try expect(
      "#Index<Casket>([\\.name])", #Predicate<Folio> { $0.casket?.name == "x" && -$0.rank < 9 },
      #Predicate<IndexedFolio> { $0.casket?.name == "x" && -$0.rank < 9 }, index, context)
  }

  @Test(arguments: StoreLocation.allCases)
  func toMany(_ place: StoreLocation) throws {
    let (_, context) = try context(place)
    try expect(
      "#Index<Folio>([\\.rank])", #Predicate<Casket> { $0.folios.contains { $0.rank == 3 } },
      #Predicate<IndexedCasket> { $0.folios.contains { $0.rank == 3 } }, "larder_index_IndexedFolio(rank)", context)
    try expect(
      "#Index<Folio>([\\.rank])", #Predicate<Casket> { $0.folios.contains { $0.rank > 3 } },
      #Predicate<IndexedCasket> { $0.folios.contains { $0.rank > 3 } }, "larder_index_IndexedFolio(rank)", context)
    try expect(
      "#Index<Stamp>([\\.text])", #Predicate<Folio> { $0.stamps.contains { $0.text == "m" } },
      #Predicate<IndexedFolio> { $0.stamps.contains { $0.text == "m" } }, "larder_index_IndexedStamp(text)", context)
  }

  @Test(arguments: StoreLocation.allCases)
  func oneToOne(_ place: StoreLocation) throws {
    let (_, context) = try context(place)
    try expect(
      "#Index<Casket>([\\.name])", #Predicate<Bolt> { $0.casket?.name == "x" },
      #Predicate<IndexedBolt> { $0.casket?.name == "x" }, "larder_index_IndexedCasket(name)", context)
    // The caskets are gone through, and each one's bolt is looked for: no index of bolts would spare that.
    let mirrored = try context.explain(
      FetchDescriptor<IndexedCasket>(predicate: #Predicate { $0.bolt?.code == 3 }))
    #expect(mirrored.isScan, "\(mirrored)")
    #expect(
      try context.explain(FetchDescriptor<Casket>(predicate: #Predicate { $0.bolt?.code == 3 })).suggestion == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func whereNothingIsAdvised(_ place: StoreLocation) throws {
    let (_, context) = try context(place)
    func explain(_ predicate: Predicate<Folio>) throws -> FetchExplanation {
      try context.explain(FetchDescriptor(predicate: predicate))
    }
    // No index has these.
    #expect(try explain(#Predicate { $0.casket?.name == nil }).suggestion == nil)
    #expect(try explain(#Predicate { ($0.casket?.name ?? "") == "x" }).suggestion == nil)
    #expect(try explain(#Predicate { $0.casket?.name == "x" || $0.rank == 3 }).suggestion == nil)
    // The model's own comes first, and what it has needs none.
    #expect(try explain(#Predicate { $0.casket?.name == "x" && $0.rank == 3 }).suggestion == "#Index<Folio>([\\.rank])")
    let served = try explain(#Predicate { $0.casket?.name == "x" && $0.number == 3 })
    #expect(served.suggestion == nil || served.isScan, "\(served)")
    // The half for nil runs, and reads them all.
    let none: String? = nil
    let all = try context.explain(FetchDescriptor<IndexedFolio>(predicate: #Predicate { $0.casket?.name == none }))
    #expect(all.isScan, "\(all)")
    #expect(all.suggestion == nil)
  }

  @Test(.directly("it counts statements")) func logNamesTheRelatedModel() throws {
    let (store, context) = try context(.memory)
    for number in 0..<FullScanMonitor.largeScanRowCount + 10 {
      let casket = Casket("d\(number)")
      context.insert(casket)
      if number % 100 == 0 { context.insert(Folio(number, casket: casket)) }
    }
    try context.save()
    let said = Counted<[String]>([])
    let listener: @Sendable (String) -> Void = { message in said.update { $0.append(message) } }
    try Log.$listener.withValue(listener) {
      let folios = try store.context().fetch(
        FetchDescriptor<Folio>(predicate: #Predicate { $0.casket?.name == "d300" }))
      #expect(folios.map(\.number) == [300])
    }
    let message = try #require(said.value.first)
    #expect(said.value.count == 1)
    #expect(message.contains("Add #Index<Casket>([\\.name]) to the model Casket."), "\(message)")
  }
}
