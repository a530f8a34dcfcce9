import DurabilityWork
import Foundation
import SwiftData
import Testing

/// `migrate --dry-run` tells what a program would do, and does nothing.
@Suite struct MigrateTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    let context = ModelContext(try open(FormerYard.models, "yard.store"))
    for (place, title) in ["a", "b", "a", "c", "b", "a"].enumerated() {
      context.insert(FormerYard.Boat(title, berth: Int32(place), owner: place < 4 ? "o" : nil))
      try context.save()
    }
    context.insert(FormerYard.Dock(number: 1))
    try context.save()
    _ = try open(LaterYard.models, "later.store")
    _ = try open(EasyYard.models, "easy.store")
  }

  private func open(_ models: [any PersistentModel.Type], _ name: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: [ModelConfiguration(url: folder.file(name))],
      migration: MigrationOptions(removedValues: .discard))
  }

  private func run(_ words: String...) throws -> (end: ChildProcess.End, said: String) {
    let process = try ChildProcess("larder", words, output: folder.file(UUID().uuidString))
    let end = process.wait()
    return (end, process.printed)
  }

  private struct Forecast: Decodable {
    struct Change: Decodable {
      var kind: String
      var name: String
      var rows: Int?
    }
    struct Group: Decodable {
      var rows: Int
      var identifiers: [Int]
    }
    struct Collision: Decodable {
      var columns: [String]
      var values: Int
      var rows: Int
      var examples: [Group]
    }
    struct Table: Decodable {
      var name: String
      var work: String
      var rows: Int
      var changes: [Change]
      var collisions: [Collision]
    }
    struct Failure: Decodable {
      var code: String
      var explanation: String
    }
    var verdict: String
    var tables: [Table]
    var rows: Int
    var problems: [String]
    var conditions: [String]
    var failure: Failure?
  }

  private func forecast(_ words: String...) throws -> (Forecast, ChildProcess.End) {
    let process = try ChildProcess(
      "larder", ["migrate", "--dry-run", "--json"] + words, output: folder.file(UUID().uuidString))
    let end = process.wait()
    return (try JSONDecoder().decode(Forecast.self, from: Data(process.printed.utf8)), end)
  }

  @Test func formerNamesOfClassesThatAreNotThereAreMistakes() throws {
    let (yard, easy) = (folder.path("yard.store"), folder.path("easy.store"))
    let former = try run("migrate", "--dry-run", yard, "--to", easy, "--renamed", "Ghost=Boat")
    #expect(former.end != .exit(0) && former.said.contains("\(yard) has no class Ghost, of which --renamed Ghost=Boat"))
    let later = try run("migrate", "--dry-run", yard, "--to", easy, "--renamed", "Boat=Ghost")
    #expect(later.end != .exit(0) && later.said.contains("\(easy) has no class Ghost, of which --renamed Boat=Ghost"))
  }

  @Test func aFolderIsNoStore() throws {
    let place = folder.path("")
    for words in [
      ["inspect", place], ["check", place], ["migrate", "--dry-run", folder.path("yard.store"), "--to", place],
    ] {
      let process = try ChildProcess("larder", words, output: folder.file(UUID().uuidString))
      #expect(process.wait() != .exit(0))
      #expect(process.printed.contains("\(place) is a folder. Name "), "\(words): \(process.printed)")
    }
  }

  @Test func everyChangeIsTold() throws {
    let before = try #require(folder.bytes("yard.store"))
    let (forecast, end) = try forecast(folder.path("yard.store"), "--to", folder.path("later.store"))
    #expect(end == .exit(1) && forecast.verdict == "impossible")
    let boat = try #require(forecast.tables.first { $0.name == "Boat" })
    #expect(boat.work == "rebuild" && boat.rows == 6 && forecast.rows == 6)
    let changes = Set(boat.changes.map { "\($0.kind) \($0.name)" })
    for change in [
      "columnRenamed Boat.name", "typeWidened Boat.berth", "nowRequired Boat.owner", "typeChanged Boat.rank",
      "columnAdded Boat.note", "columnAdded Boat.draught", "columnRemoved Boat.paint", "uniqueAdded name",
    ] {
      #expect(changes.contains(change), "\(change) of \(changes)")
    }
    #expect(changes.count == 8)
    #expect(boat.changes.first { $0.kind == "columnRemoved" }?.rows == 6)
    #expect(boat.collisions.map(\.rows) == [5])
    #expect(forecast.tables.first { $0.name == "Dock" }?.work == "indexes")
    #expect(forecast.tables.first { $0.name == "Crew" }?.work == "create")
    #expect(forecast.tables.first { $0.name == "Rope" }?.changes.map(\.kind) == ["tableUnnamed"])
    #expect(forecast.problems.contains { $0.contains("Boat.rank was Int") })
    #expect(forecast.conditions.contains { $0.contains("Boat.owner") && $0.contains("(2)") })
    #expect(forecast.conditions.contains { $0.contains("Boat.draught is new") && $0.contains("(6)") })
    let failure = try #require(forecast.failure)
    #expect(failure.code == "schemaMismatch")
    // As the program itself says it.
    let error = #expect(throws: StoreError.self) { try open(LaterYard.models, "yard.store") }
    #expect(error?.code.rawValue == failure.code)
    #expect(error?.explanation.contains("Boat.rank was Int") == true)
    #expect(folder.bytes("yard.store") == before)
  }

  @Test func whatCanBeDoneIsDoneSo() throws {
    let before = try #require(folder.bytes("yard.store"))
    let schema = try run("inspect", folder.path("easy.store"), "--schema")
    #expect(schema.end == .exit(0))
    try Data(schema.said.utf8).write(to: folder.file("easy.json"))
    let (forecast, end) = try forecast(folder.path("yard.store"), "--to=" + folder.path("easy.json"))
    #expect(end == .exit(0) && forecast.verdict == "possible" && forecast.problems.isEmpty && forecast.failure == nil)
    let text = try run("migrate", folder.path("yard.store"), "--to", folder.path("easy.json"), "--dry-run")
    #expect(text.end == .exit(0))
    for part in [
      "6 rows are written anew", "Boat.name: was title", "Boat.berth: Int32 becomes Int64", "Boat.paint: goes",
      "Rope: nothing is done",
    ] {
      #expect(text.said.contains(part), "\(text.said)")
    }
    #expect(folder.bytes("yard.store") == before)
    let progress = Progress(totalUnitCount: 0)
    let container = try ModelContainer(
      for: Schema(EasyYard.models), configurations: [ModelConfiguration(url: folder.file("yard.store"))],
      migration: MigrationOptions(removedValues: .discard, progress: progress))
    // The last one is that the container is open.
    #expect(progress.totalUnitCount == forecast.rows + 1 && progress.isFinished)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EasyYard.Boat>()) == 6)
    let after = try self.forecast(folder.path("yard.store"), "--to", folder.path("easy.json"))
    #expect(after.0.verdict == "nothing" && after.1 == .exit(0))
  }

  /// That values go is no failure: a script that is to stop then says so.
  @Test func lossesFailIfSomebodySaysSo() throws {
    let (yard, easy) = (folder.path("yard.store"), folder.path("easy.store"))
    #expect(try run("migrate", "--dry-run", yard, "--to", easy).end == .exit(0))
    let (end, said) = try run("migrate", "--dry-run", "--fail-on-loss", yard, "--to", easy)
    #expect(end == .exit(1) && said.contains("Boat.paint (6)") && said.contains("6 rows are written anew"), "\(said)")
    // The other way round goes a column that no row has a value in.
    let back = try run("migrate", "--dry-run", "--fail-on-loss", easy, "--to", yard, "--renamed", "Boat=Boat")
    #expect(!back.said.contains("Values would go"), "\(back.said)")
    #expect(try run("migrate", "--dry-run", "--fail-on-loss", yard, "--to", yard).end == .exit(0))
  }

  /// Under the same name, so that no property goes.
  @Test func whatBecomesARelationshipOrAValueIsALoss() throws {
    let yard = folder.path("yard.store")
    do {
      let context = ModelContext(try open(FormerYard.models, "yard.store"))
      let boat = try #require(try context.fetch(FetchDescriptor<FormerYard.Boat>()).first)
      boat.dock = try context.fetch(FetchDescriptor<FormerYard.Dock>()).first
      try context.save()
    }
    _ = try open(RelatedYard.models, "related.store")
    let related = folder.path("related.store")
    let (end, said) = try run("migrate", "--dry-run", "--fail-on-loss", yard, "--to", related)
    #expect(end == .exit(1) && said.contains("Values would go"), "\(said)")
    for part in [
      "Boat.owner (4)", "Boat.dock (1)", "Boat.owner: becomes a relationship, and what it was goes",
      "with its values in 4 rows",
    ] {
      #expect(said.contains(part), "\(said)")
    }
    let (forecast, _) = try forecast(yard, "--to", related)
    #expect(forecast.problems.contains { $0.contains("Boat.owner is a relationship, and was a value") })
  }

  /// What no migration does by itself, a stage's own work does.
  @Test func aStageThatWouldDoItIsNamed() throws {
    let (end, said) = try run("migrate", "--dry-run", folder.path("yard.store"), "--to", folder.path("later.store"))
    #expect(end == .exit(1))
    #expect(said.contains("refuses it, unless a custom stage of its migration plan does what is told below"), "\(said)")
    #expect(said.contains("Not without a custom stage of a plan:"), "\(said)")
    // Nothing but another program helps an older one.
    try change("easy.store", "later.json") { object in object["version"] = "0.9.0" }
    let older = try run("migrate", "--dry-run", folder.path("yard.store"), "--to", folder.path("later.json"))
    #expect(older.end == .exit(1) && older.said.contains("a program with these models refuses it\n"), "\(older.said)")
    #expect(older.said.contains("newerSchema") && older.said.contains("and differ in Boat"), "\(older.said)")
  }

  /// Writes the schema of a store to a file, with a change.
  private func change(_ store: String, _ name: String, _ body: (inout [String: Any]) -> Void) throws {
    let schema = try run("inspect", folder.path(store), "--schema").said
    var object = try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
    body(&object)
    try JSONSerialization.data(withJSONObject: object).write(to: folder.file(name))
  }

  /// One value, and one row, are not several; also of a column that is new, which is the same in all rows.
  @Test func whatIsThereOnceIsToldAsOne() throws {
    do {
      let context = ModelContext(try open(SingleYard.former, "single.store"))
      for _ in 0..<2 { context.insert(SingleYard.Former.Buoy(code: "x")) }
      try context.save()
    }
    _ = try open(SingleYard.unique, "unique.store")
    let same = try run("migrate", "--dry-run", folder.path("single.store"), "--to", folder.path("unique.store"))
    #expect(same.said.contains("code: 1 value is there more than once, in 2 rows"), "\(same.said)")
    #expect(same.said.contains("to be unique: 1 value is there more than once, in 2 rows."), "\(same.said)")
    _ = try open(SingleYard.numbered, "numbered.store")
    let new = try run("migrate", "--dry-run", folder.path("single.store"), "--to", folder.path("numbered.store"))
    #expect(new.said.contains("number: 1 value is there more than once, in 2 rows"), "\(new.said)")
    #expect(!same.said.contains("1 values") && !new.said.contains("1 values"))
    let context = ModelContext(try open(SingleYard.former, "single.store"))
    context.delete(try #require(try context.fetch(FetchDescriptor<SingleYard.Former.Buoy>()).first))
    try context.save()
    let one = try run("migrate", "--dry-run", folder.path("single.store"), "--to", folder.path("numbered.store"))
    #expect(one.said.contains("1 row is written anew") && !one.said.contains("1 rows"), "\(one.said)")
    let summary = try run("inspect", folder.path("single.store"))
    #expect(summary.said.contains("Buoy (1 row)"), "\(summary.said)")
  }

  /// What a relationship relates is lost with it, unless its inverse keeps it.
  @Test func relationshipsThatGoAreLosses() throws {
    try Fleet.fill(folder.file("fleet.store"))
    func without(_ relationships: Set<String>) throws -> String {
      let schema = try run("inspect", folder.path("fleet.store"), "--schema").said
      var object = try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
      let tables = try #require(object["tables"] as? [[String: Any]])
      object["tables"] = tables.map { table in
        var table = table
        let all = table["relations"] as? [[String: Any]] ?? []
        table["relations"] = all.filter { !relationships.contains($0["name"] as? String ?? "") }
        return table
      }
      try JSONSerialization.data(withJSONObject: object).write(to: folder.file("fewer.json"))
      return try run(
        "migrate", "--dry-run", "--fail-on-loss", folder.path("fleet.store"), "--to", folder.path("fewer.json")
      ).said
    }
    let both = try without(["crew", "vessels"])
    #expect(both.contains("Values would go") && both.contains("Vessel.crew ("), "\(both)")
    let one = try without(["vessels"])
    #expect(!one.contains("Values would go"), "\(one)")
  }

  /// Rows that would agree are counted and named.
  @Test func collisionsAreNamed() throws {
    let schema = try run("inspect", folder.path("easy.store"), "--schema").said
    var object = try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
    var tables = try #require(object["tables"] as? [[String: Any]])
    let place = try #require(tables.firstIndex { $0["name"] as? String == "Boat" })
    tables[place]["unique"] = [["name"]]
    object["tables"] = tables
    try JSONSerialization.data(withJSONObject: object).write(to: folder.file("unique.json"))
    let (forecast, end) = try forecast(folder.path("yard.store"), "--to", folder.path("unique.json"))
    #expect(end == .exit(1) && forecast.failure?.code == "duplicateValues")
    let collision = try #require(forecast.tables.first { $0.name == "Boat" }?.collisions.first)
    #expect(collision.columns == ["name"] && collision.values == 2 && collision.rows == 5)
    #expect(collision.examples.map(\.rows) == [3, 2])
    #expect(collision.examples.map(\.identifiers) == [[1, 3, 6], [2, 5]])
    // The store's own list of tables does as well.
    try JSONSerialization.data(withJSONObject: tables).write(to: folder.file("bare.json"))
    let bare = try self.forecast(folder.path("yard.store"), "--to", folder.path("bare.json"))
    #expect(bare.0.tables.first { $0.name == "Boat" }?.collisions.first?.rows == 5)
  }

  /// A store remembers what its models called a property before; a program whose models do not say so takes nothing over.
  @Test func whatAStoreRemembersIsNotWhatItsModelsSay() throws {
    _ = try open(EasyYard.models, "moved.store")
    _ = try open(ForgottenYard.models, "moved.store")
    _ = try open(ForgottenYard.models, "new.store")
    var told: [[String]] = []
    for other in ["moved.store", "new.store"] {
      let (forecast, _) = try forecast(folder.path("yard.store"), "--to", folder.path(other))
      let boat = try #require(forecast.tables.first { $0.name == "Boat" })
      told.append(boat.changes.map { "\($0.kind) \($0.name)" }.sorted())
    }
    #expect(told[0] == told[1] && told[0].contains("columnRemoved Boat.title"), "\(told)")
    let lost = try run(
      "migrate", "--dry-run", "--fail-on-loss", folder.path("yard.store"), "--to", folder.path("moved.store"))
    #expect(lost.end == .exit(1) && lost.said.contains("Boat.title (6)"), "\(lost.said)")
  }

  /// What a class was called is told by nothing in a stored schema.
  @Test func aFormerNameIsGiven() throws {
    _ = try open(VesselYard.models, "vessel.store")
    let (yard, vessel) = (folder.path("yard.store"), folder.path("vessel.store"))
    let new = try #require(try forecast(yard, "--to", vessel).0.tables.first { $0.name == "Vessel" })
    #expect(new.work == "create" && new.rows == 0)
    let (forecast, _) = try forecast(yard, "--to", vessel, "--renamed", "Boat=Vessel")
    let renamed = try #require(forecast.tables.first { $0.name == "Vessel" })
    #expect(renamed.changes.map(\.kind).contains("tableRenamed") && renamed.rows == 6)
    #expect(forecast.verdict == "possible")
  }

  /// As a program is refused, whose models say so.
  @Test func namesThatAreUnclearAreTold() throws {
    _ = try open(VesselYard.models, "yard.store")
    _ = try open(VesselYard.models, "vessel.store")
    let words = [
      "migrate", "--dry-run", folder.path("yard.store"), "--to", folder.path("vessel.store"), "--renamed",
      "Boat=Vessel",
    ]
    let process = try ChildProcess("larder", words, output: folder.file("said"))
    #expect(process.wait() == .exit(1))
    let said = process.printed
    #expect(
      said.contains("Vessel was Boat, and the store has both, with rows of Boat that would not be read"), "\(said)")
  }

  @Test func mistakesAreSaid() throws {
    let store = folder.path("yard.store")
    let undone = try run("migrate", store, "--to", folder.path("easy.store"))
    #expect(undone.end == .exit(2) && undone.said.contains("needs the models of a program"))
    #expect(try run("migrate", "--dry-run", store).end == .exit(2))
    #expect(try run("migrate", "--dry-run", store, "--to").end == .exit(2))
    #expect(try run("migrate", "--dry-run", store, "--to", "a", "--to", "b").end == .exit(2))
    #expect(try run("migrate", "--dry-run", store, "--to", store, "--renamed", "a").end == .exit(2))
    try Data("no schema".utf8).write(to: folder.file("letter"))
    let letter = try run("migrate", "--dry-run", store, "--to", folder.path("letter"))
    #expect(letter.end == .exit(1) && letter.said.contains("neither a store nor a schema"))
    #expect(try run("migrate", "--dry-run", store, "--to", folder.path("nothing")).end == .exit(1))
    // A schema that leads in a circle.
    try Data(
      #"[{"name":"Boat","columns":[],"unique":[["x"]],"indexes":[],"classes":[{"name":"Boat","superclass":"Boat"}]}]"#
        .utf8
    ).write(to: folder.file("circle"))
    let circle = try run("migrate", "--dry-run", store, "--to", folder.path("circle"))
    #expect(circle.end == .exit(0) || circle.end == .exit(1))
  }
}
