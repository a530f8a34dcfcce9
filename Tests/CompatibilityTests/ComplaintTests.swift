import Foundation
import SwiftData
import Testing

/// What Documentation/complaints.md names that no other suite shows.
@Suite struct ComplaintTests {
  enum Loose {
    @Model final class Ticket {
      @Attribute(.unique) var number: Int
      var stops: Stops

      init(number: Int, stops: Stops) {
        self.number = number
        self.stops = stops
      }
    }

    struct Stops: Codable { var names: [String] }
  }

  /// The same model in a versioned schema, used by an alias; its value has gained a member.
  enum Version2: VersionedSchema {
    @Model final class Ticket {
      @Attribute(.unique) var number: Int
      var stops: Stops

      init(number: Int, stops: Stops) {
        self.number = number
        self.stops = stops
      }
    }

    struct Stops: Codable {
      var names: [String]
      var note: String?
    }

    static var models: [any PersistentModel.Type] { [Ticket.self] }
    static let versionIdentifier = Schema.Version(2, 0, 0)
  }
  typealias Ticket = Version2.Ticket

  private func inAFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-complaints-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "tickets.store", directoryHint: .notDirectory)
    let context = ModelContext(
      try ModelContainer(for: Loose.Ticket.self, configurations: ModelConfiguration(url: file)))
    for number in 1...3 { context.insert(Loose.Ticket(number: number, stops: .init(names: ["a", "\(number)"]))) }
    try context.save()
    try body(file)
  }

  @Test func modelsThatMoveIntoAnotherTypeKeepTheirRows() throws {
    try inAFolder { file in
      let container = try ModelContainer(
        for: Schema(versionedSchema: Version2.self), configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      let tickets = try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)]))
      #expect(tickets.map(\.number) == [1, 2, 3])
      let two = FetchDescriptor<Ticket>(predicate: #Predicate { $0.number == 2 })
      #expect(try context.fetchCount(two) == 1)
    }
  }

  @Test func codableValueThatGainsAMemberIsRead() throws {
    try inAFolder { file in
      let context = ModelContext(try ModelContainer(for: Ticket.self, configurations: ModelConfiguration(url: file)))
      let two = try #require(
        try context.fetch(FetchDescriptor<Ticket>(predicate: #Predicate { $0.number == 2 })).first)
      #expect(two.stops.names == ["a", "2"] && two.stops.note == nil)
      two.stops.note = "new"
      try context.save()
      let other = try #require(
        try ModelContext(context.container).fetch(FetchDescriptor<Ticket>(predicate: #Predicate { $0.number == 2 }))
          .first)
      #expect(other.stops.note == "new")
    }
  }

  @Model final class Described {
    var description: String
    init(description: String) { self.description = description }
  }

  @Test func modelsMayHaveADescription() throws {
    let context = ModelContext(
      try ModelContainer(for: Described.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Described(description: "one"))
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Described>(predicate: #Predicate { $0.description == "one" }))
    #expect(found.map(\.description) == ["one"])
  }

  @Model final class Parent {
    var name: String
    @Relationship(inverse: \Child.parent) var children: [Child] = []
    init(name: String) { self.name = name }
  }

  @Model final class Child {
    var name: String
    var parent: Parent?
    init(name: String) { self.name = name }
  }

  @Test func childKeepsItsParentAcrossAFetchWithoutPendingChanges() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Parent.self, Child.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let parent = Parent(name: "p")
    context.insert(parent)
    try context.save()
    let child = Child(name: "c")
    context.insert(child)
    child.parent = parent
    var stored = FetchDescriptor<Parent>()
    stored.includePendingChanges = false
    #expect(try context.fetch(stored).map(\.name) == ["p"])
    try context.save()
    #expect(child.parent === parent && parent.children.map(\.name) == ["c"])
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Child>()).map { $0.parent?.name } == ["p"])
    #expect(try other.fetch(FetchDescriptor<Parent>()).map { $0.children.map(\.name) } == [["c"]])
  }
}
