import Foundation
import LarderData
import TestSeeds
import Testing

/// What random predicates found once, each by itself.
@Suite struct PredicateRegressionTests {
  private func context() throws -> ModelContext {
    let schema = Schema([
      Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Grain.self, Sack.self, Ticket.self,
    ])
    return ModelContext(
      try ModelContainer(
        for: schema, configurations: [ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)]))
  }

  private func count<Model: PersistentModel>(_ predicate: Predicate<Model>, _ context: ModelContext) throws -> Int {
    try context.fetch(FetchDescriptor(predicate: predicate)).count
  }

  @Test func listsOfIdentifiersMayHaveNil() throws {
    let context = try context()
    let squad = Squad(number: 1)
    squad.players = [Player(number: 2)]
    context.insert(squad)
    context.insert(Player(number: 3))
    try context.save()
    let (id, other) = (squad.persistentModelID, squad.players[0].persistentModelID)
    let (all, none, some): ([PersistentIdentifier?], [PersistentIdentifier?], [PersistentIdentifier?]) = (
      [id, nil], [other, nil], [id]
    )
    #expect(try count(#Predicate<Player> { all.contains($0.squad.flatMap { $0.persistentModelID }) }, context) == 2)
    #expect(try count(#Predicate<Player> { none.contains($0.squad.flatMap { $0.persistentModelID }) }, context) == 1)
    #expect(try count(#Predicate<Player> { some.contains($0.squad.flatMap { $0.persistentModelID }) }, context) == 1)
  }

  @Test func listsWithNaNMayHaveNil() throws {
    let context = try context()
    var values = HostileValues(random: SeededGenerator(seed: 1))
    let sack = Sack(1, &values)
    sack.height = nil
    context.insert(sack)
    try context.save()
    let heights = [Double.nan, nil]
    #expect(try count(#Predicate<Sack> { heights.contains($0.height) }, context) == 1)
  }

  @Test func numbersOfRelatedObjectsAreReckonedWith() throws {
    let context = try context()
    let squad = Squad(number: 1)
    squad.players = [Player(number: 2), Player(number: 3)]
    context.insert(squad)
    try context.save()
    #expect(try count(#Predicate<Squad> { $0.players.count + $0.number == 3 }, context) == 1)
    #expect(try count(#Predicate<Squad> { $0.number - $0.players.count == -1 }, context) == 1)
  }

  @Test func testsOfNoElementDoNotFail() throws {
    let context = try context()
    context.insert(Squad(number: .min))
    try context.save()
    #expect(
      try count(#Predicate<Squad> { squad in squad.players.contains { _ in -squad.number > 0 } }, context) == 0)
    #expect(
      try count(#Predicate<Squad> { squad in squad.players.allSatisfy { _ in -squad.number > 0 } }, context) == 1)
  }

  @Test func conditionsThatMayFailStayInOrder() throws {
    let context = try context()
    context.insert(Player(number: .min))
    try context.save()
    #expect(
      try count(#Predicate<Player> { 10 / ($0.squad?.number ?? 1) == 99 && -$0.number > 0 }, context) == 0)
  }

  /// A database that puts a constant for the column that equals it into the condition beside it would do the arithmetic
  /// of rows of other squads, and of none.
  @Test func equalityKeepsWhatStandsAfterItFromOtherRows() throws {
    let context = try context()
    let (most, number, none) = (Int.max, 1, 7)
    for (squadNumber, playerNumber) in [(number, 3), (number + 1, Int.min)] {
      let squad = Squad(number: squadNumber)
      squad.players = [Player(number: playerNumber)]
      context.insert(squad)
    }
    try context.save()
    #expect(try count(#Predicate<Player> { $0.squad?.number == number && $0.number - 1 > 0 }, context) == 1)
    #expect(try count(#Predicate<Player> { number == $0.squad?.number && $0.number - 1 > 0 }, context) == 1)
    #expect(try count(#Predicate<Squad> { $0.number == none && $0.number + most > 0 }, context) == 0)
    #expect(try count(#Predicate<Squad> { $0.number == none && most + number > 0 }, context) == 0)
    #expect(try count(#Predicate<Player> { $0.squad?.number == none && most + number > 0 }, context) == 0)
    let other = try #require(try context.fetch(FetchDescriptor<Player>()).first).persistentModelID
    #expect(
      try count(#Predicate<Squad> { $0.persistentModelID == other && most + number > 0 }, context) == 0)
  }

  /// Nor that of a value that no row has, where the equality comes after it.
  @Test func equalityKeepsItsConstantFromWhatStandsBefore() throws {
    let context = try context()
    context.insert(Squad(number: 1))
    try context.save()
    let least = Int.min
    #expect(try count(#Predicate<Squad> { -$0.number < 0 && $0.number == least }, context) == 0)
  }

  private func grains(_ context: ModelContext) throws -> (Sack, Grain) {
    var values = HostileValues(random: SeededGenerator(seed: 1))
    let sack = Sack(1, &values)
    sack.tags = ["a"]
    for number in 0..<2 {
      let grain = Grain(number, home: sack, &values)
      grain.sack = sack
      context.insert(grain)
    }
    try context.save()
    return (sack, sack.grains[0])
  }

  /// What SQL cannot say is asked of objects, which have what is pending.
  @Test func relatedObjectsAreAskedAsTheyWereSaved() throws {
    let context = try context()
    let (sack, grain) = try grains(context)
    let tagged = #Predicate<Grain> { $0.sack.flatMap { $0.tags.contains("a") } == true }
    var saved = FetchDescriptor<Grain>(predicate: tagged)
    saved.includePendingChanges = false
    sack.tags = []
    grain.sack = nil
    #expect(try context.fetch(saved).count == 2)
    #expect(try context.fetchCount(saved) == 2)
    #expect(try count(tagged, context) == 0)
  }

  /// An object that is to be deleted has lost those that go with it, of which it is not to be asked.
  @Test func deletedObjectsAreNotAsked() throws {
    let context = try context()
    var values = HostileValues(random: SeededGenerator(seed: 1))
    let sacks = [Sack(1, &values), Sack(2, &values)]
    for sack in sacks {
      sack.rank = nil
      let grain = Grain(sack.serial, home: sack, &values)
      grain.tags = ["a"]
      context.insert(grain)
    }
    try context.save()
    context.delete(sacks[0])
    let tagged = #Predicate<Sack> { sack in
      sack.residents.contains { $0.tags.contains("a") } ? true : sack.rank! == 1
    }
    #expect(try count(tagged, context) == 1)
  }

  @Test func whatObjectsCannotBeAsked() throws {
    let context = try context()
    let players: [Predicate<Player>] = [
      #Predicate { $0.squad!.number == 1 },
      #Predicate { ($0.squad ?? $0.host!).number == 1 },
      #Predicate { ($0.number > 1 ? $0.squad : $0.host).flatMap { $0.number } == 1 },
    ]
    for predicate in players {
      #expect(throws: SwiftDataError.unsupportedPredicate) { try count(predicate, context) }
    }
    let squads = #Predicate<Squad> { $0.players[0].number == 1 }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try count(squads, context) }
  }

  @Test func relatedTextsAreSortedByLanguage() throws {
    let context = try context()
    var values = HostileValues(random: SeededGenerator(seed: 1))
    let home = Sack(0, &values)
    for (number, name) in ["b", "B", "a", "A"].enumerated() {
      let sack = Sack(number, &values)
      sack.name = name
      sack.spot = Spot(name: "", latitude: Double(-number), depth: nil)
      let grain = Grain(number, home: home, &values)
      grain.sack = sack
      context.insert(grain)
    }
    func numbers(_ order: SortDescriptor<Grain>) throws -> [Int] {
      try context.fetch(FetchDescriptor<Grain>(sortBy: [order])).map(\.serial)
    }
    for _ in 0..<2 {
      let names = try numbers(SortDescriptor(\.sack?.name, comparator: LocalizedStringComparator.localized))
      #expect(Set(names.prefix(2)) == [2, 3])
      #expect(try numbers(SortDescriptor(\.sack?.name, comparator: .lexical)) == [3, 1, 2, 0])
      #expect(try numbers(SortDescriptor(\.sack?.spot.latitude)) == [3, 2, 1, 0])
      try context.save()
    }
  }
}
