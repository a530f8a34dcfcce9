import Foundation
import SwiftData
import Testing

enum TicketsFirst {
  @Model final class Ticket {
    var name: String
    var price: Int
    init(name: String, price: Int) {
      self.name = name
      self.price = price
    }
  }
}

/// An attribute, an index and a model more.
enum TicketsMore {
  @Model final class Ticket {
    #Index<Ticket>([\.price])
    var name: String
    var price: Int
    var colour = "blue"
    init(name: String) {
      self.name = name
      price = 0
    }
  }

  @Model final class Gate {
    var number: Int
    init(number: Int) { self.number = number }
  }
}

enum TicketsRenamed {
  @Model final class Ticket {
    @Attribute(originalName: "name") var title: String
    var price: Int
    init(title: String) {
      self.title = title
      price = 0
    }
  }
}

enum TicketsConverted {
  @Model final class Ticket {
    var name: String
    var price: Double
    init(name: String) {
      self.name = name
      price = 0
    }
  }
}

/// A unique name, where two have the same.
enum TicketsUnique {
  @Model final class Ticket {
    @Attribute(.unique) var name: String
    var price: Int
    init(name: String) {
      self.name = name
      price = 0
    }
  }
}

enum GatesWithTicket {
  @Model final class Ticket {
    var label = ""
    var first: Gate?
    var second: Gate?
    init() {}
  }

  @Model final class Gate {
    var number: Int
    @Relationship(inverse: \Ticket.first) var ticket: Ticket?
    init(number: Int) { self.number = number }
  }
}

/// The end of a one-to-one that lies in no row is gone, and both tables have an index more.
enum GatesWithoutTicket {
  @Model final class Ticket {
    #Index<Ticket>([\.label])
    var label = ""
    var first: Gate?
    var second: Gate?
    init() {}
  }

  @Model final class Gate {
    #Index<Gate>([\.number])
    var number: Int
    init(number: Int) { self.number = number }
  }
}

/// What becomes of a store's history when its models change.
@Suite struct HistoryMigrationTests {
  private typealias Transaction = DefaultHistoryTransaction

  private func history(
    _ context: ModelContext, after token: DefaultHistoryToken? = nil
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try context.fetchHistory(descriptor)
  }

  /// A store with two tickets, and the token of the first transaction.
  private func filled() throws -> (TemporaryStore, DefaultHistoryToken) {
    let store = try TemporaryStore()
    let token = try store.open(TicketsFirst.Ticket.self) { context in
      context.insert(TicketsFirst.Ticket(name: "a", price: 1))
      try context.save()
      context.insert(TicketsFirst.Ticket(name: "a", price: 2))
      try context.save()
      return try #require(try history(context).first).token
    }
    return (store, token)
  }

  @Test func additionsKeepTheHistory() throws {
    let (store, token) = try filled()
    let changes = try store.open(TicketsMore.Ticket.self, TicketsMore.Gate.self) { context in
      context.insert(TicketsMore.Gate(number: 1))
      try context.save()
      return try history(context, after: token).flatMap(\.changes).map(\.changedPersistentIdentifier.entityName)
    }
    #expect(changes == ["Ticket", "Gate"])
  }

  @Test func anEndThatIsGoneBeginsTheHistoryAnew() throws {
    let store = try TemporaryStore()
    let token = try store.open(GatesWithTicket.Ticket.self, GatesWithTicket.Gate.self) { context in
      context.insert(GatesWithTicket.Gate(number: 1))
      try context.save()
      return try #require(try history(context).first).token
    }
    try store.open(GatesWithoutTicket.Ticket.self, GatesWithoutTicket.Gate.self) { context in
      #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, after: token) }
    }
  }

  @Test func whatMoreThanAddsBeginsTheHistoryAnew() throws {
    func expectNew(_ store: TemporaryStore, _ token: DefaultHistoryToken, _ context: ModelContext) throws {
      #expect(try history(context).isEmpty)
      #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, after: token) }
    }
    let (renamed, first) = try filled()
    try renamed.open(TicketsRenamed.Ticket.self) { context in
      try expectNew(renamed, first, context)
      context.insert(TicketsRenamed.Ticket(title: "c"))
      try context.save()
      let transaction = try #require(try history(context).first)
      #expect(transaction.token > first && transaction.id > 3)
    }
    let (converted, second) = try filled()
    try converted.open(TicketsConverted.Ticket.self) { try expectNew(converted, second, $0) }
    let (unique, third) = try filled()
    let container = try ModelContainer(
      for: Schema([TicketsUnique.Ticket.self]), configurations: [ModelConfiguration(url: unique.url)],
      migration: MigrationOptions(duplicates: .keepLast))
    try expectNew(unique, third, ModelContext(container))
  }

  private enum Old: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [TicketsFirst.Ticket.self] }
  }

  private enum New: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [TicketsMore.Ticket.self, TicketsMore.Gate.self] }
  }

  private enum Lightly: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Old.self, toVersion: New.self)] }
  }

  private enum WithWork: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Old.self, toVersion: New.self, willMigrate: nil,
          didMigrate: { context in
            for ticket in try context.fetch(FetchDescriptor<TicketsMore.Ticket>()) { ticket.colour = "red" }
            try context.save()
          })
      ]
    }
  }

  @Test func stagesWithWorkBeginItAnewAndOthersDoAsTheyDo() throws {
    func open(_ plan: any SchemaMigrationPlan.Type) throws -> Int? {
      let (store, token) = try filled()
      let container = try ModelContainer(
        for: Schema(versionedSchema: New.self), migrationPlan: plan, configurations: ModelConfiguration(url: store.url))
      let context = ModelContext(container)
      #expect(try context.fetchCount(FetchDescriptor<TicketsMore.Ticket>()) == 2)
      do { return try history(context, after: token).count } catch SwiftDataError.historyTokenExpired { return nil }
    }
    #expect(try open(Lightly.self) == 1)
    #expect(try open(WithWork.self) == nil)
  }
}
