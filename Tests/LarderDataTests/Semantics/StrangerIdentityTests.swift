import Botany
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// A row that another program writes under the number that a pending object has, and what leads to either of them.
@Suite struct StrangerIdentityTests: BreakingAgain {
  /// How the context meets it.
  enum Encounter: CaseIterable { case bySaving, byFetchingIt, byItsMember, byATurn }

  private func meet(_ meeting: Encounter, _ context: ModelContext) throws {
    switch meeting {
    case .bySaving: break
    case .byFetchingIt: _ = try all(context, Family.self)
    case .byItsMember: _ = try all(context, Member.self).map { $0.family?.name }
    case .byATurn: _ = try context.fetchCount(FetchDescriptor<Node>())
    }
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases, Encounter.allCases)
  func membersStayWithTheirOwners(_ place: StoreLocation, _ meeting: Encounter) throws {
    let store = try store(place)
    let seed = try store.saved([Member(name: "moved"), Member(name: "theirs")])
    withExtendedLifetime(seed) {}
    let context = store.context()
    let moved = try #require(try all(context, Member.self).first { $0.name == "moved" })
    // The members' class is written first.
    let member = Member(name: "ours")
    context.insert(member)
    let family = Family(name: "Ours")
    context.insert(family)
    member.family = family
    moved.family = family
    let taken = family.persistentModelID
    try store.execute(
      """
      INSERT INTO Family (larder_id, name) VALUES (\(taken.key), 'Theirs');
      UPDATE Member SET family = \(taken.key), larder_family_order = 1 WHERE name = 'theirs';
      """)
    try meet(meeting, context)
    #expect(member.family === family && moved.family === family)
    #expect(family.members.map(\.name) == ["ours", "moved"])
    #expect(try families(context).map(\.name) == ["Ours", "Theirs"])
    try context.save()
    #expect(member.family === family && moved.family === family)
    #expect(family.members.map(\.name) == ["ours", "moved"])
    let fresh = try families(store.context())
    #expect(fresh.map(\.name) == ["Ours", "Theirs"])
    #expect(fresh.map { $0.members.map(\.name) } == [["ours", "moved"], ["theirs"]])
    #expect(try store.value("SELECT larder_id FROM Family WHERE name = 'Theirs'") == .integer(taken.key))
    try check(store)
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases, [false, true])
  func pairsStayWithTheirOwners(_ place: StoreLocation, _ isFetched: Bool) throws {
    let store = try store(place)
    _ = try store.saved([Student(name: "one"), Student(name: "two")])
    let context = store.context()
    let students = try context.fetch(FetchDescriptor<Student>(sortBy: [SortDescriptor(\.name)]))
    let course = Course(title: "ours")
    context.insert(course)
    course.students = [students[0]]
    let taken = course.persistentModelID.key
    let pairs = "larder_Course_students"
    try store.execute(
      """
      INSERT INTO Course (larder_id, title) VALUES (\(taken), 'theirs');
      INSERT INTO \(pairs) (source, target, source_order, target_order)
        SELECT \(taken), larder_id, 1, 1 FROM Student WHERE name = 'two';
      """)
    if isFetched { _ = try all(context, Course.self) }
    try context.save()
    #expect(course.students.map(\.name) == ["one"])
    let fresh = try store.context().fetch(FetchDescriptor<Course>(sortBy: [SortDescriptor(\.title)]))
    #expect(fresh.map(\.title) == ["ours", "theirs"])
    #expect(fresh.map { $0.students.map(\.name) } == [["one"], ["two"]])
    try check(store)
  }

  /// A number that a save did not need, since its object became a row that was there.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func spentNumberMayBeAStrangers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    withExtendedLifetime(try store.saved([Sensor("a", label: "first")])) {}
    let context = store.context()
    let again = Sensor("a", label: "again")
    context.insert(again)
    let spent = again.persistentModelID
    try context.save()
    let former = PersistentIdentifier(identity: spent.identity, key: spent.key, isSaved: true)
    #expect((context.model(for: former) as? Sensor)?.code == "a")
    let columns = "larder_version, label, level, count, spot_name, spot_x, spot_y, note"
    try store.execute(
      "INSERT INTO Sensor (larder_id, code, \(columns)) SELECT \(spent.key), 'b', \(columns) FROM Sensor WHERE code = 'a'"
    )
    let other = store.context()
    let strangers = try #require(try all(other, Sensor.self).first { $0.code == "b" }).persistentModelID
    #expect(strangers.key == spent.key && spent.isTemporary)
    for context in [context, other] {
      #expect((context.model(for: strangers) as? Sensor)?.code == "b")
      #expect(try context.existingModel(for: strangers, as: Sensor.self).code == "b")
      let wanted = [strangers]
      #expect(
        try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.persistentModelID == strangers })).map(
          \.code)
          == ["b"])
      #expect(
        try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { wanted.contains($0.id) })).map(\.code) == [
          "b"
        ])
      #expect(try context.fetch(FetchDescriptor<Sensor>(), batchSize: 1).map(\.code).sorted() == ["a", "b"])
      #expect((context.model(for: spent) as? Sensor)?.code == "a")
    }
  }

  /// Whatever version it was written with.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases, [0, 1, -1])
  func strangersRowIsNotTakenForThePendingObject(_ place: StoreLocation, _ version: Int) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let ours = Crate(number: 1, text: "ours")
    context.insert(ours)
    let taken = ours.persistentModelID.key
    try store.execute(
      "INSERT INTO Crate (larder_id, larder_version, number, text) VALUES (\(taken), \(version), 99, 'stranger')")
    let crates = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    #expect(crates.map(\.text) == ["ours", "stranger"])
    #expect(crates.first === ours && context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try store.rows("SELECT text FROM Crate ORDER BY number") == [[.text("ours")], [.text("stranger")]])
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases, [false, true])
  func identifiersLeadToWhatTheyWereTakenFrom(_ place: StoreLocation, _ isFetched: Bool) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let ours = Crate(number: 1, text: "ours")
    context.insert(ours)
    let former = ours.persistentModelID
    try store.execute("INSERT INTO Crate (larder_id, number, text) VALUES (\(former.key), 99, 'stranger')")
    let other = store.context()
    let theirs = try #require(try all(other, Crate.self).first)
    let strangers = theirs.persistentModelID
    #expect(former.isTemporary && !strangers.isTemporary)
    func check(_ context: ModelContext, _ place: String) throws {
      let found = try #require(context.model(for: strangers) as? Crate)
      #expect(found.text == "stranger", "\(place)")
      let existing: Crate = try context.existingModel(for: strangers, as: Crate.self)
      #expect(existing === found, "\(place)")
      let registered: Crate? = context.registeredModel(for: strangers)
      #expect(registered === found, "\(place)")
      let identifiers = [strangers]
      let fetched = try context.fetch(
        FetchDescriptor<Crate>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
      #expect(fetched.map(\.text) == ["stranger"], "\(place)")
      let batches = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]), batchSize: 1)
      #expect(batches.map(\.text) == ["ours", "stranger"], "\(place)")
    }
    if isFetched { _ = try all(context, Crate.self) }
    let registered: Crate? = context.registeredModel(for: strangers)
    #expect(registered?.text != "ours")
    try check(context, "pending")
    #expect(context.model(for: former) as? Crate === ours)
    try context.save()
    try check(context, "saved")
    try check(other, "another")
    #expect(context.model(for: former) as? Crate === ours)
    #expect((other.model(for: former) as? Crate)?.text == "ours")
    // To delete the one is not to delete the other.
    other.delete(theirs)
    try other.save()
    #expect(try all(store.context(), Crate.self).map(\.text) == ["ours"])
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func strangerOfAnotherClassIsNotThePendingObject(_ place: StoreLocation) throws {
    let store = try TestStore(
      place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
    let context = store.context()
    let weed = Weed(code: "w", name: "ours")
    context.insert(weed)
    let keeper = Keeper(name: "k")
    context.insert(keeper)
    keeper.favourite = weed
    let oak = Oak(code: "o", name: "theirs", height: 1, acorns: 5)
    _ = try store.saved([oak])
    try store.execute("UPDATE Plant SET larder_id = \(weed.persistentModelID.key)")
    // As a leaf, and among others.
    #expect(try all(context, Oak.self).map(\.name) == ["theirs"])
    #expect(keeper.favourite === weed)
    #expect(Set(try all(context, Plant.self).map(\.name)) == ["ours", "theirs"])
    try context.save()
    #expect(keeper.favourite === weed)
    let fresh = try all(store.context(), Keeper.self)
    #expect(fresh.map { $0.favourite?.name } == ["ours"])
    #expect(Set(try all(store.context(), Plant.self).map(\.name)) == ["ours", "theirs"])
  }

  /// A program that names no number takes those that come next, which are set apart for us.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases, [false, true])
  func manyNumbersMayBeTaken(_ place: StoreLocation, _ isFetched: Bool) throws {
    let store = try TestStore(place, Photo.self)
    let context = store.context()
    // So few that a save which went past them step by step would have been tried too often.
    let photos = (0..<20).map { Photo(title: "ours \($0)", image: Data([UInt8($0)])) }
    for photo in photos { context.insert(photo) }
    let first = photos[0].persistentModelID.key
    try store.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
        INSERT INTO Photo (larder_id, title, size) SELECT i + \(first), 'theirs ' || i, 1 FROM n;
      INSERT INTO larder_external_Photo_image SELECT larder_id, x'ff' FROM Photo;
      INSERT INTO larder_external_Photo_marks SELECT larder_id, '[]' FROM Photo;
      INSERT INTO larder_external_Photo_kind SELECT larder_id, 'plain' FROM Photo;
      """)
    if isFetched { #expect(try all(context, Photo.self).count == 3_020) }
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Photo WHERE title LIKE 'theirs%'") == .integer(3_000))
    #expect(try store.value("SELECT count(*) FROM larder_external_Photo_image WHERE value = x'ff'") == .integer(3_000))
    let fresh = try store.context().fetch(
      FetchDescriptor<Photo>(predicate: #Predicate { $0.title.starts(with: "ours") }))
    #expect(
      Set(fresh.map { "\($0.title) \([UInt8]($0.image))" }) == Set(photos.map { "\($0.title) \([UInt8]($0.image))" }))
    #expect(fresh.count == 20)
  }
}
