import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

@Model
final class Harbor {
  #Index<Harbor>([\.name], [\.country])
  var name: String
  var country: String?
  var depth: Int
  @Relationship(inverse: \Ship.harbor) var ships: [Ship] = []

  init(_ name: String, country: String? = nil, depth: Int = 0) {
    self.name = name
    self.country = country
    self.depth = depth
  }
}

@Model
class Ship {
  #Index<Ship>([\.name])
  var name: String
  var tonnage: Int
  var harbor: Harbor?
  var escort: Ship?
  @Relationship(inverse: \Ship.follower) var leader: Ship?
  var follower: Ship?

  init(_ name: String, tonnage: Int, harbor: Harbor? = nil, escort: Ship? = nil) {
    self.name = name
    self.tonnage = tonnage
    self.harbor = harbor
    self.escort = escort
  }
}

@Model
final class Ferry: Ship {
  var decks: Int

  init(_ name: String, tonnage: Int, harbor: Harbor, decks: Int) {
    self.decks = decks
    super.init(name, tonnage: tonnage, harbor: harbor)
  }
}

/// A fetch by an attribute of the object that a to-one leads to: where an index finds that, the two tables are joined, and
/// no list of rows is made first.
@Suite struct JoinedFetchTests {
  private let store: TestStore
  private let context: ModelContext

  init() throws {
    store = try TestStore(.memory, Harbor.self, Ship.self, Ferry.self)
    let writing = store.context()
    let harbors = [
      Harbor("Oban", country: "UK", depth: 9), Harbor("Bergen", country: "Norway", depth: 11), Harbor("Nemo", depth: 9),
    ]
    var last: Ship?
    for number in 0..<9 {
      let ship =
        number == 4
        ? Ferry("f", tonnage: 5, harbor: harbors[1], decks: 3)
        : Ship("s\(number % 4)", tonnage: 100 - number, harbor: number < 8 ? harbors[number % 3] : nil, escort: last)
      writing.insert(ship)
      ship.leader = last
      last = ship
    }
    try writing.save()
    // An index gives the ships of a harbor in the harbor's order, which is another one than theirs.
    for harbor in harbors { harbor.ships.reverse() }
    try writing.save()
    context = store.context()
  }

  private func isJoined<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Bool {
    let sql = try context.explain(descriptor).sql
    return sql.contains(" JOIN ") && !sql.contains("IN (SELECT")
  }

  /// Whether the tables are joined; the same objects are found by going through them all, in each way of asking.
  private func ask<Model: Ship>(
    _ predicate: Predicate<Model>, sortBy order: [SortDescriptor<Model>] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Bool {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
    let all = try store.context().fetch(FetchDescriptor<Model>(sortBy: order))
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.tonnage)
    #expect(try context.fetch(descriptor).map(\.tonnage) == expected, sourceLocation: sourceLocation)
    #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: sourceLocation)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(
      identifiers.map { (context.model(for: $0) as? Ship)?.tonnage } == expected, sourceLocation: sourceLocation)
    #expect(
      try context.fetch(descriptor, batchSize: 2).map(\.tonnage) == expected, sourceLocation: sourceLocation)
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(
      try context.fetch(descriptor).map(\.tonnage) == Array(expected.dropFirst().prefix(2)),
      sourceLocation: sourceLocation)
    #expect(try context.fetchCount(descriptor) == expected.dropFirst().prefix(2).count, sourceLocation: sourceLocation)
    descriptor.includePendingChanges = false
    #expect(try isJoined(descriptor) == isJoined(FetchDescriptor(predicate: predicate, sortBy: order)))
    return try isJoined(descriptor)
  }

  @Test func tablesAreJoinedWhereAnIndexFindsTheObject() throws {
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Oban" }))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Bergen" && $0.tonnage > 95 }))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Oban" && $0.harbor?.depth == 9 }))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "nowhere" }))
    // A column that both have, and the table joined to itself.
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Bergen" && $0.name == "s3" }))
    #expect(try ask(#Predicate<Ship> { $0.escort?.name == "s2" }))
    #expect(try ask(#Predicate<Ship> { $0.escort?.name == "s2" && $0.escort?.harbor?.name == "Nemo" }))
    #expect(try ask(#Predicate<Ship> { $0.escort?.harbor?.name == "Oban" && $0.name != "s0" }))
    // Both ends of a one to one in one table, and what else has to be looked for beside.
    #expect(try ask(#Predicate<Ship> { $0.follower?.name == "s2" && $0.leader?.name == "s0" }))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Bergen" && $0.leader?.tonnage == 97 }))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Bergen" && $0.follower == nil }))
    let slow = #Predicate<Ship> { ship in ship.harbor?.name == "Oban" && (ship.escort?.tonnage ?? 0) < 98 }
    #expect(try ask(slow))
    let busy = #Predicate<Ship> { ship in
      ship.harbor?.name == "Oban" && ship.harbor?.ships.contains { other in other.tonnage > 99 } == true
    }
    #expect(try ask(busy))
    #expect(try ask(#Predicate<Ship> { $0.harbor?.name == "Bergen" && ($0 as? Ferry)?.decks == 3 }))
    // One value in two places.
    let name = "s1"
    #expect(try ask(#Predicate<Ship> { $0.escort?.name == name && $0.name != name }))
  }

  @Test func whatIsPendingIsFoundToo() throws {
    let harbor = try #require(
      try context.fetch(FetchDescriptor<Harbor>(predicate: #Predicate { $0.name == "Nemo" })).first)
    harbor.name = "Nautilus"
    let ship = Ship("new", tonnage: 1, harbor: harbor)
    context.insert(ship)
    let descriptor = FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.name == "Nautilus" })
    let found = try context.fetch(descriptor)
    #expect(found.map(\.persistentModelID.key) == harbor.ships.map(\.persistentModelID.key).sorted())
    #expect(found.contains { $0 === ship } && found.count == 3)
    #expect(try context.fetchCount(FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.name == "Nemo" })) == 0)
    try context.save()
    #expect(try store.context().fetch(descriptor).map(\.tonnage) == found.map(\.tonnage))
  }

  @Test func theDatabaseBeginsWithTheObject() throws {
    let explanation = try context.explain(
      FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.name == "Oban" && $0.tonnage == 3 }))
    #expect(!explanation.isScan && explanation.suggestion == nil, "\(explanation)")
    #expect(explanation.indexes.contains("larder_index_Harbor(name)"))
    // Also from one after another, in any order of the ships.
    let followers = try context.explain(
      FetchDescriptor<Ship>(
        predicate: #Predicate { $0.follower?.harbor?.name == "Oban" },
        sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
    #expect(!followers.isScan, "\(followers)")
  }

  @Test func inAnyOrder() throws {
    let harbored = #Predicate<Ship> { $0.harbor?.name == "Bergen" }
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.tonnage)]))
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.tonnage, order: .reverse)]))
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.escort?.tonnage), SortDescriptor(\.tonnage)]))
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.harbor?.depth)]))
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.name, comparator: .lexical), SortDescriptor(\.tonnage)]))
    #expect(try ask(harbored, sortBy: [SortDescriptor(\.name), SortDescriptor(\.tonnage, order: .reverse)]))
  }

  /// The same predicate is asked with nil and without, and its plan is kept.
  @Test func whatIsCapturedMayBeNil() throws {
    func isJoined(_ country: String?) throws -> Bool {
      try ask(#Predicate<Ship> { $0.harbor?.country == country })
    }
    #expect(try isJoined("Norway"))
    #expect(try !isJoined(nil))
    #expect(try isJoined("UK"))
    #expect(try !isJoined(nil))
    let country: String? = nil
    // Those in a harbor of no country, and the one in no harbor.
    #expect(try context.fetchCount(FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.country == country })) == 3)
    func both(_ country: String?, _ name: String?) throws -> Bool {
      try ask(#Predicate<Ship> { $0.harbor?.country == country && $0.escort?.name == name })
    }
    #expect(try both("UK", "s2"))
    #expect(try !both(nil, "s1"))
    #expect(try !both("UK", nil))
    #expect(try !both(nil, nil))
  }

  @Test func elsewhereAListIsMade() throws {
    // No index begins with it, or it is no equality, or one that not all must meet.
    #expect(try !ask(#Predicate<Ship> { $0.harbor?.depth == 9 }))
    #expect(try !ask(#Predicate<Ship> { $0.harbor?.name != "Oban" }))
    #expect(try !ask(#Predicate<Ship> { $0.harbor?.name == "Oban" || $0.tonnage > 98 }))
    #expect(try !ask(#Predicate<Ship> { $0.harbor?.name == nil }))
    // Some part may fail.
    #expect(try !ask(#Predicate<Ship> { $0.harbor?.name == "Oban" && -$0.tonnage < -1 }))
    // Rows of one class among others.
    #expect(try !ask(#Predicate<Ferry> { $0.harbor?.name == "Bergen" }))
  }

  @Test func changesByPredicateFindTheSame() throws {
    let harbored = #Predicate<Ship> { $0.harbor?.name == "Bergen" }
    let count = try context.fetchCount(FetchDescriptor(predicate: harbored))
    #expect(count > 1)
    try context.delete(model: Ship.self, where: harbored)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor(predicate: harbored)) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Ship>()) == 9 - count)
  }

  /// What is loaded for one object is loaded for those after it, as they are walked.
  @Test(.directly("it counts statements")) func objectsKnowEachOther() throws {
    let ships = try context.fetch(FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.name == "Oban" }))
    #expect(ships.count == 3)
    let rows = ships.map { $0.persistentModelID.key }
    #expect(rows == rows.sorted() && ships[2]._$header.pointee.fetchBatch?.rows == ContiguousArray(rows))
    let done = try context.reading { for ship in ships { _ = ship.escort } }
    #expect(done.statementRuns <= 1)
  }

  @Test(.directly("it counts statements")) func oneStatementIsRun() throws {
    func fetch(_ name: String) throws -> Int {
      try context.fetch(FetchDescriptor<Ship>(predicate: #Predicate { $0.harbor?.name == name })).count
    }
    _ = try fetch("Oban")
    var found: [Int] = []
    let done = try context.reading { found = try ["Bergen", "Nemo", "Oban"].map(fetch) }
    #expect(!found.contains(0))
    #expect(done.statementRuns == 3)
    #expect(done.statementsPrepared == 0)
  }
}
