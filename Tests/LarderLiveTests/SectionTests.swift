import Foundation
import LarderData
import Patience
import SwiftData
import Testing

@MainActor
@Suite struct SectionTests {
  private func fleet(_ docks: Docks) throws {
    try docks.elsewhere { context in
      let harbour = Harbour("Oslo", country: "NO")
      context.insert(harbour)
      for (name, flag) in [("a", "NO"), ("b", "SE"), ("c", "NO")] { context.insert(Ship(name, flag: flag)) }
    }
  }

  @Test func resultsAreDivided() async throws {
    let docks = try Docks()
    try fleet(docks)
    let observer = try ResultsObserver(
      fetchDescriptor: ships(), sectionBy: \Ship.flag, modelContainer: docks.container)
    #expect(observer.sectionBy == \Ship.flag)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["NO", "SE"])
    #expect(sections.map { $0.map(\.name) } == [["a", "c"], ["b"]])
    #expect(sections.map(\.id) == ["NO", "SE"])
    #expect(sections[sectionTitle: "SE"]?.map(\.name) == ["b"])
    #expect(sections[sectionTitle: "DK"] == nil)
    #expect(sections.index(ofSectionTitled: "SE") == 1)
    #expect(sections.contains(sectionTitle: "NO") && !sections.contains(sectionTitle: ""))
    let b = observer.results[1]
    #expect(observer.indexPath(for: b) == IndexPath(indexes: [1, 0]))
    var place = IndexPath(item: 0, section: 1)
    #expect(observer.indexPath(for: b) == place && place.section == 1)
    (place.section, place.item) = (0, 1)
    #expect(observer.element(at: place)?.name == "c" && place.item == 1)
    #expect(observer.element(at: IndexPath(indexes: [0, 1]))?.name == "c")
    for beyond in [[2, 0], [1, 1], [0], [0, -1], [-1, 0], [0, 0, 0]] {
      #expect(observer.element(at: IndexPath(indexes: beyond)) == nil)
    }
    // The list is the same, and its sections are not.
    let results = Told { _ = observer.results }
    let told = Told { _ = observer.sections }
    try docks.elsewhere { context in try context.fetch(ships())[2].flag = "SE" }
    try await until("the other flag") { told.isRaised }
    #expect(observer.sections?.map { $0.map(\.name) } == [["a"], ["b", "c"]])
    #expect(!results.isRaised)
    let same = Told { _ = observer.sections }
    try docks.elsewhere { context in try context.fetch(ships())[2].notes = "x" }
    try await settle()
    #expect(!same.isRaised)
  }

  @Test func titlesOfRelatedModelsAndPendingOnes() async throws {
    let docks = try Docks()
    try fleet(docks)
    let context = docks.container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Ship, String>(
      sortBy: [SortDescriptor(\.name, comparator: .lexical)], sectionBy: \Ship.port?.country, modelContext: context)
    #expect(observer.sections?.sectionTitles == [""])
    try docks.elsewhere { context in
      try context.fetch(ships())[1].port = try context.fetch(FetchDescriptor<Harbour>()).first
    }
    #expect(observer.sections?.sectionTitles == ["", "NO"])
    var told = Told { _ = observer.sections }
    try docks.elsewhere { try $0.fetch(FetchDescriptor<Harbour>()).first?.country = "DK" }
    try await until("the other country") { told.isRaised }
    #expect(observer.sections?.sectionTitles == ["", "DK"])
    told = Told { _ = observer.sections }
    try context.fetch(FetchDescriptor<Harbour>()).first?.country = "FI"
    try await until("what is pending") { told.isRaised }
    #expect(observer.sections?.sectionTitles == ["", "FI"])
    #expect(observer.indexPath(for: observer.results[1]) == IndexPath(indexes: [1, 0]))
  }

  @Test func withoutSectionsThereIsOne() throws {
    let docks = try Docks()
    try fleet(docks)
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    #expect(observer.sections == nil && observer.sectionBy == nil)
    #expect(observer.element(at: IndexPath(indexes: [0, 2]))?.name == "c")
    #expect(observer.element(at: IndexPath(indexes: [1, 0])) == nil)
    #expect(observer.indexPath(for: observer.results[2]) == IndexPath(indexes: [0, 2]))
    #expect(observer.indexPath(for: Ship("elsewhere")) == nil)
  }

  @Test func everyWayToMakeOne() throws {
    let docks = try Docks()
    try fleet(docks)
    let (container, context) = (docks.container, docks.container.mainContext)
    let all = #Predicate<Ship> { _ in true }
    #expect(try ResultsObserver<Ship, Never>(modelContext: context).results.count == 3)
    #expect(try ResultsObserver<Ship, Never>(filterBy: all, modelContext: context).results.count == 3)
    #expect(try ResultsObserver<Ship, Never>(modelContainer: container).results.count == 3)
    #expect(try ResultsObserver<Ship, String>(sectionBy: \.flag, modelContext: context).sections?.count == 2)
    #expect(
      try ResultsObserver<Ship, String>(filterBy: all, sectionBy: \.flag, modelContext: context).sections?.count == 2)
    #expect(
      try ResultsObserver<Ship, String>(filterBy: all, sectionBy: \.flag, modelContainer: container).sections?.count
        == 2)
    #expect(
      try ResultsObserver(fetchDescriptor: FetchDescriptor<Ship>(), sectionBy: \.port?.country, modelContext: context)
        .sections?.count == 1)
    #expect(
      try ResultsObserver(
        fetchDescriptor: FetchDescriptor<Ship>(), sectionBy: \.port?.country, modelContainer: container
      )
      .sections?.count == 1)
    #expect(
      try ResultsObserver<Ship, String>(filterBy: all, sectionBy: \.port?.country, modelContainer: container)
        .sections?.count == 1)
  }
}
