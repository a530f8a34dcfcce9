import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// What one process saves is what contexts of another show.
@Suite struct OtherProcessTests {
  private let shared: SharedStore
  private let here: ModelContainer
  private let there: ModelContainer

  init() throws {
    shared = try SharedStore()
    here = try shared.open()
    there = try shared.open()
    try here.work { context in
      let depot = Depot("north", city: "Oslo")
      context.insert(depot)
      for number in 1...3 { context.insert(Crate("c\(number)", weight: number, depot: depot)) }
    }
  }

  @Test func objectsInHandFollowAtTheNextFetch() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    let depot = try #require(crates[0].depot)
    #expect(depot.crates.count == 3)
    try there.work { other in
      let depot = Depot("south", city: "Rome")
      other.insert(depot)
      let crates = try other.crates()
      crates[0].weight = 10
      crates[1].depot = depot
      other.delete(crates[2])
    }
    context.endLease()
    #expect(try context.crates().map(\.weight) == [10, 2])
    #expect(crates[0].weight == 10)
    #expect(crates[1].depot?.name == "south")
    #expect(depot.crates.map(\.label) == ["c1"])
    #expect(crates[2].isDeleted || crates[2].modelContext == nil)
  }

  /// It looks at what is new, not at everything that it has.
  @Test func aFetchReadsOnlyWhatChanged() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    try there.work { other in try other.crates()[0].weight = 10 }
    try context.save()
    context.endLease()
    _ = try context.fetchCount(FetchDescriptor<Depot>())
    #expect(crates.map(\.weight) == [10, 2, 3])
  }

  @Test(arguments: MergePolicy.allCases) func editsFollowTheMergePolicy(_ policy: MergePolicy) throws {
    let context = ModelContext.plain(here)
    context.mergePolicy = policy
    let crate = try context.crates()[0]
    crate.weight = 20
    try there.work { other in
      let crate = try other.crates()[0]
      crate.weight = 10
      crate.label = "c0"
    }
    switch policy {
    case .error:
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      context.rollback()
      #expect(try context.crates()[0].weight == 10)
    case .mergeByPropertyStoreTrump:
      try context.save()
      #expect(crate.weight == 10)
      #expect(crate.label == "c0")
    case .mergeByPropertyObjectTrump:
      try context.save()
      #expect(crate.weight == 20)
      #expect(crate.label == "c0")
    case .overwrite:
      try context.save()
      #expect(crate.weight == 20)
      #expect(crate.label == "c1")
    }
    let stored = try ModelContext.plain(there).crates()[0]
    #expect(stored.weight == (policy == .error || policy == .mergeByPropertyStoreTrump ? 10 : 20))
  }

  @Test func anEditGoesWithARowThatWasDeletedElsewhere() throws {
    let context = ModelContext.plain(here)
    let crate = try context.crates()[0]
    crate.weight = 20
    try there.work { other in other.delete(try other.crates()[0]) }
    try context.save()
    #expect(crate.modelContext == nil && !context.hasChanges)
    crate.weight = 30
    try context.save()
    #expect(try ModelContext.plain(there).crates().allSatisfy { $0.weight < 20 })
  }

  @Test func listsThatWereEditedInBothAreUnited() throws {
    let context = ModelContext.plain(here)
    let depot = try #require(try context.fetch(FetchDescriptor<Depot>()).first)
    depot.crates.append(Crate("c4"))
    try there.work { other in
      let depot = try #require(try other.fetch(FetchDescriptor<Depot>()).first)
      depot.crates.append(Crate("c5"))
    }
    try context.save()
    context.endLease()
    #expect(Set(depot.crates.map(\.label)) == ["c1", "c2", "c3", "c4", "c5"])
    #expect(try context.crates().count == 5)
  }

  /// The deletion of an owner takes along what another process gave him meanwhile.
  @Test func cascadesReachWhatOthersAdded() throws {
    let context = ModelContext.plain(here)
    let depot = try #require(try context.fetch(FetchDescriptor<Depot>()).first)
    context.delete(depot)
    try there.work { other in
      other.insert(Crate("c4", depot: try other.fetch(FetchDescriptor<Depot>()).first))
    }
    try context.save()
    #expect(try ModelContext.plain(there).crates().isEmpty)
  }

  @Test func identifiersOfTwoProcessesNeverMeet() throws {
    var all: Set<PersistentIdentifier> = []
    for round in 0..<20 {
      for container in [here, there] {
        let context = ModelContext.plain(container)
        let crates = (0..<30).map { Crate("n\(round)-\($0)") }
        for crate in crates { context.insert(crate) }
        try context.save()
        all.formUnion(crates.map(\.persistentModelID))
      }
    }
    #expect(all.count == 1_200)
    #expect(try ModelContext.plain(here).fetchCount(FetchDescriptor<Crate>()) == 1_203)
  }

  @Test func aReadOnlyContainerFollows() throws {
    let reader = try shared.open(allowsSave: false)
    let context = ModelContext.plain(reader)
    let crates = try context.crates()
    try there.work { other in try other.crates()[0].weight = 10 }
    context.endLease()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 3)
    #expect(crates[0].weight == 10)
  }

  /// A program that is older, or leaves models out, goes on beside one that has more of them.
  @Test func modelsThatOneLacksAreNoMatter() throws {
    let more = try shared.open([Depot.self, Crate.self, Note.self])
    try more.work { $0.insert(Note("one")) }
    let context = ModelContext.plain(here)
    #expect(try context.crates().count == 3)
    try more.work { context in
      context.insert(Note("two"))
      try context.crates()[0].weight = 10
    }
    context.endLease()
    #expect(try context.crates()[0].weight == 10)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 3)
  }

  @Test func anErasedStoreIsEmptyEverywhere() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    try there.erase()
    context.endLease()
    #expect(try context.crates().isEmpty)
    #expect(crates.allSatisfy { $0.modelContext == nil || $0.isDeleted })
  }

  /// Another program does not write into the history. Rows that it made or took away are seen all the same.
  @Test func whatOtherProgramsDoIsReadAgain() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    try there.work { other in try other.crates()[1].weight = 20 }
    do {
      let program = try Connection(path: shared.url.path)
      try program.execute("DELETE FROM Crate WHERE label = 'c1'")
      try program.execute("UPDATE Crate SET weight = 30, larder_version = larder_version + 1 WHERE label = 'c3'")
      program.close()
    }
    context.endLease()
    _ = try context.fetchCount(FetchDescriptor<Depot>())
    #expect(crates[0].modelContext == nil || crates[0].isDeleted)
    #expect(crates[1].weight == 20)
    #expect(crates[2].weight == 30)
  }

  /// The history may be gone before somebody has read it.
  @Test func aHistoryThatIsGoneMeansEverything() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    try there.work { other in
      try other.crates()[0].weight = 10
      try other.save()
      try other.crates()[1].weight = 20
      try other.save()
      try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    context.endLease()
    _ = try context.fetchCount(FetchDescriptor<Depot>())
    #expect(crates.map(\.weight) == [10, 20, 3])
  }

  @Test func manyTransactionsAtOnceMeanEverything() throws {
    let context = ModelContext.plain(here)
    let crates = try context.crates()
    let other = ModelContext.plain(there)
    let first = try other.crates()[0]
    for weight in 100..<400 {
      first.weight = weight
      try other.save()
    }
    context.endLease()
    _ = try context.fetchCount(FetchDescriptor<Depot>())
    #expect(crates[0].weight == 399)
  }

  /// What a damaged or a hostile file says of itself.
  @Test func numbersThatCannotBeAreNoTrap() throws {
    let program = try Connection(path: shared.url.path)
    try program.execute("INSERT OR REPLACE INTO larder_store VALUES ('commits', 9223372036854775807)")
    let third = try shared.open()
    for weight in 10..<13 {
      try third.work { try $0.crates()[0].weight = weight }
      #expect(try ModelContext.plain(here).crates()[0].weight == weight)
    }
    try program.execute("INSERT OR REPLACE INTO larder_store VALUES ('history_deleted', 9223372036854775807)")
    program.close()
    #expect(throws: (any Error).self) { try third.work { try $0.crates()[0].weight = 20 } }
    #expect(try ModelContext.plain(here).crates()[0].weight == 12)
    try? third.erase()
  }

  @Test func aMigrationByAnotherProcessIsSaid() throws {
    let context = ModelContext.plain(here)
    let crate = try context.crates()[0]
    let newer = try shared.open([NewerCrates.Depot.self, NewerCrates.Crate.self])
    context.endLease()
    let error = #expect(throws: StoreError.self) { try context.crates() }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("The store was migrated while it was open here") == true)
    // It was open for writing, and who opens it so by these models takes back what the other one did.
    #expect(error?.explanation.contains("reading only") == false)
    #expect(error?.explanation.contains("for writing") == false)
    #expect(error?.explanation.contains("use the newer program") == true)
    crate.weight = 10
    let saving = #expect(throws: StoreError.self) { try context.save() }
    #expect(saving?.code == .schemaMismatch)
    #expect(try ModelContext.plain(newer).fetchCount(FetchDescriptor<NewerCrates.Crate>()) == 3)
  }

  /// Which changes values and no table: who reads on would take grams for kilograms.
  @Test func aMigrationOfValuesByAnotherProcessIsSaid() throws {
    let store = try SharedStore()
    let older = try store.open(Schema(versionedSchema: Kilograms.self))
    try older.work { $0.insert(Crate("c", weight: 2, depot: nil)) }
    let context = ModelContext.plain(older)
    let crate = try context.crates()[0]
    let newer = try store.open(Schema(versionedSchema: Grams.self), plan: GramsPlan.self)
    #expect(try ModelContext.plain(newer).crates().map(\.weight) == [2_000])
    context.endLease()
    let error = #expect(throws: StoreError.self) { try context.crates() }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("of version 2.0.0, and the container's of version 1.0.0") == true)
    crate.weight = 3
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try ModelContext.plain(newer).crates().map(\.weight) == [2_000])
  }
}

/// The same models in two versions.
enum Kilograms: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Depot.self, Crate.self] }
}

enum Grams: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Depot.self, Crate.self] }
}

enum GramsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Kilograms.self, Grams.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Kilograms.self, toVersion: Grams.self, willMigrate: nil,
        didMigrate: { context in
          for crate in try context.fetch(FetchDescriptor<Crate>()) { crate.weight *= 1_000 }
          try context.save()
        })
    ]
  }
}

/// Another version of the program's models.
enum NewerCrates {
  @Model
  final class Depot {
    @Attribute(.unique) var name: String
    var city: String
    @Relationship(deleteRule: .cascade, inverse: \NewerCrates.Crate.depot) var crates: [NewerCrates.Crate] = []
    init(_ name: String) {
      self.name = name
      city = ""
    }
  }

  @Model
  final class Crate {
    #Index<Crate>([\.label])
    var label: String
    var weight: Int
    var colour: String = "brown"
    var depot: NewerCrates.Depot?
    init(_ label: String) {
      self.label = label
      weight = 0
    }
  }
}
