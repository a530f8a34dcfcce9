// Ordinary code for SwiftData, as it is written for Apple's. The same file is compiled once for each way in which
// modules are compiled, and its tests run in each. `nonisolated` is what Apple's needs too where the main actor is the
// default.
import Observation
import SwiftData

nonisolated struct Spot: Codable, Hashable, Sendable {
  var name: String
  var latitude: Double
}

nonisolated enum Mood: String, Codable, Sendable {
  case calm, stormy
}

nonisolated struct EntryDTO: Codable, Sendable {
  var id: UUID
  var title: String
  var words: Int
}

@Model
final class Entry {
  #Index<Entry>([\.written], [\.title, \.words])

  @Attribute(.unique) var id: UUID
  var title: String
  var words: Int
  var written: Date = Date.now
  var place: Spot?
  var mood = Mood.calm
  var tags: [String] = []
  var `default`: Bool = false
  @Transient var isSelected = false

  var summary: String { "\(title) (\(words))" }

  init(id: UUID, title: String, words: Int, place: Spot? = nil) {
    self.id = id
    self.title = title
    self.words = words
    self.place = place
  }

  func rename(to title: String) { self.title = title }
}

enum SchemaV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Draft.self] }

  @Model
  class Draft {
    var text: String = ""
    var number: Int? = nil
  }
}

typealias Draft = SchemaV1.Draft

@available(iOS 26, macOS 26, *)
@Model
class Letter: Draft {
  var recipient: String
  var mood = Mood.calm

  init(to recipient: String) {
    self.recipient = recipient
    super.init()
  }
}

@ModelActor
actor DiaryStore {
  private let author: String

  init(modelContainer: ModelContainer, author: String = "me") {
    self.modelContainer = modelContainer
    let context = ModelContext(modelContainer)
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.author = author
  }

  func upsert(_ dtos: [EntryDTO]) throws {
    for dto in dtos {
      let id = dto.id
      let predicate = #Predicate<Entry> { $0.id == id }
      if let entry = try modelContext.fetch(FetchDescriptor(predicate: predicate)).first {
        entry.title = dto.title
        entry.words = dto.words
      } else {
        modelContext.insert(Entry(id: dto.id, title: dto.title, words: dto.words))
      }
    }
    try modelContext.save()
  }

  func rename(_ identifier: PersistentIdentifier, to title: String) throws {
    self[identifier, as: Entry.self]?.rename(to: title)
    try modelContext.save()
  }

  func titles(longerThan words: Int) throws -> [String] {
    let descriptor = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.words > words }, sortBy: [SortDescriptor(\.title)])
    return try modelContext.fetch(descriptor).map(\.title)
  }
}

/// An actor that needs no initializer of its own.
@ModelActor
actor DraftStore {
  func add(_ text: String) throws -> Int {
    let draft = Draft()
    draft.text = text
    modelContext.insert(draft)
    try modelContext.save()
    return try modelContext.fetchCount(FetchDescriptor<Draft>())
  }
}

@MainActor
@Observable
final class DiaryViewModel {
  private let container: ModelContainer
  private(set) var titles: [String] = []
  private(set) var problem: String?

  init(container: ModelContainer) { self.container = container }

  func load() {
    do {
      let entries = try container.mainContext.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.words)]))
      titles = entries.map(\.summary)
    } catch {
      problem = error.localizedDescription
    }
  }

  func refresh(_ dtos: [EntryDTO]) async {
    do {
      try await DiaryStore(modelContainer: container).upsert(dtos)
      load()
    } catch {
      problem = error.localizedDescription
    }
  }
}

/// Uses all of it and says what came of it, a line for each step.
@MainActor
public func keepDiary() async throws -> [String] {
  var lines: [String] = []
  let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
  let container = try ModelContainer(for: Entry.self, Draft.self, Letter.self, configurations: configuration)
  let context = container.mainContext

  let first = Entry(id: UUID(), title: "Rain", words: 20, place: Spot(name: "Bergen", latitude: 60.4))
  context.insert(first)
  first.tags.append("weather")
  first.mood = .stormy
  first.default = true
  first.isSelected = true
  try context.save()
  let id: UUID = first.id
  lines.append("inserted \(try context.fetchCount(FetchDescriptor<Entry>())) \(first.hasChanges)")

  let viewModel = DiaryViewModel(container: container)
  await viewModel.refresh([
    EntryDTO(id: id, title: "Rain again", words: 30), EntryDTO(id: UUID(), title: "Sun", words: 5),
  ])
  lines.append("view model \(viewModel.titles) \(viewModel.problem ?? "")")

  let store = DiaryStore(modelContainer: container)
  try await store.rename(first.persistentModelID, to: "Storm")
  lines.append("longer than ten \(try await store.titles(longerThan: 10))")

  let fresh = ModelContext(container)
  let bergen = try fresh.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.id == id })).first
  lines.append(
    "read back \(bergen?.title ?? "-") \(bergen?.place?.name ?? "-") \(bergen?.mood.rawValue ?? "-") "
      + "\(bergen?.tags ?? []) \(bergen?.default ?? false) \(bergen?.isSelected ?? true)")

  context.insert(Letter(to: "Ann"))
  try context.save()
  let letter = try ModelContext(container).fetch(FetchDescriptor<Draft>()).first as? Letter
  lines.append("letter to \(letter?.recipient ?? "-") \(letter?.mood.rawValue ?? "-")")

  lines.append("drafts \(try await DraftStore(modelContainer: container).add("once"))")

  if let bergen { fresh.delete(bergen) }
  try fresh.save()
  lines.append("left \(try fresh.fetch(FetchDescriptor<Entry>()).map(\.title))")
  return lines
}
