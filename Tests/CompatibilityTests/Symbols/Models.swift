import SwiftData

/// Models of these tests only; what each property is there for is said by its name.
enum SymbolModels {
  @Model
  final class Shelf {
    #Unique<Shelf>([\.label], [\.room, \.row])
    #Index<Shelf>([\.row], [\.room, \.label])

    var label: String
    var room: String = "A"
    var row: Int
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    @Transient var isOpen = false

    init(label: String, row: Int) {
      self.label = label
      self.row = row
    }
  }

  @Model
  final class Volume {
    #Index<Volume>(.binary([\.title]), .rtree([\.width, \.height]))

    @Attribute(originalName: "name") var title: String
    @Attribute(.preserveValueOnDeletion, hashModifier: "second edition") var width: Double = 1
    var height: Double = 1
    var shelf: Shelf?

    init(title: String) { self.title = title }
  }

  /// Has nothing but an attribute, so that it can be stored whatever else is.
  @Model
  final class Card {
    @Attribute(.unique) var number: Int
    var text = ""

    init(number: Int) { self.number = number }
  }

  @ModelActor
  actor CardFile {
    func number(_ id: PersistentIdentifier) -> Int? { self[id, as: Card.self]?.number }
    func add(_ number: Int) throws -> PersistentIdentifier {
      let card = Card(number: number)
      modelContext.insert(card)
      try modelContext.save()
      return card.persistentModelID
    }
    func isInItsContext() -> Bool {
      // Ends the program where the actor's work does not run on its executor.
      preconditionIsolated()
      return modelExecutor is any SerialModelExecutor && modelExecutor.modelContext == modelContext
        && modelContext.container == modelContainer
    }
  }

  enum First: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Card.self] }
    static let versionIdentifier = Schema.Version(1, 2, 3)
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self] }
    static var stages: [MigrationStage] { [] }
  }

  static func container() throws -> ModelContainer {
    try ModelContainer(for: Card.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
}
