import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Models of odd shapes come back from the store as they went in.
@Suite struct ModelShapeTests {
  /// Saves a model and reads it by another context.
  private func again<T: PersistentModel>(_ place: StoreLocation, _ model: T, _ body: (T, TestStore) throws -> Void)
    throws
  {
    let store = try TestStore(place, T.self)
    let context = store.context()
    context.insert(model)
    try context.save()
    try body(try #require(try store.context().fetch(FetchDescriptor<T>()).first), store)
  }

  @Test(arguments: StoreLocation.allCases)
  func typesOfTheirOwnMayHaveOurNames(_ place: StoreLocation) throws {
    let model = Shapes.OwnTypes()
    model.context = Shapes.OwnTypes.ModelContext()
    model.data = Shapes.OwnTypes.Data(bytes: [9])
    model.decimal = .other("x")
    model.date = .never
    try again(place, model) { read, _ in
      #expect(read.schema.number == 1)
      #expect(read.context?.number == 2)
      #expect(read.row.numbers == [3])
      #expect(read.date == .never)
      #expect(read.data?.bytes == [9])
      #expect(read.decimal == .other("x"))
      #expect(read.made.timeIntervalSinceReferenceDate == 5)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func propertiesMayHaveOddNames(_ place: StoreLocation) throws {
    let model = Shapes.Words()
    model.in = 0.5
    model.state = .one
    model.rowid = 99
    try again(place, model) { read, store in
      #expect(read.default == 1)
      #expect(read.class == "a")
      #expect(read.in == 0.5)
      #expect(read.switch == [1])
      #expect(read.row == 2)
      #expect(read.rows == ["r"])
      #expect(read.binder == .one)
      #expect(read.mask == 3)
      #expect(read.state == .one)
      #expect(read.models == 4)
      #expect(read.value == [5])
      #expect(read.key == [6])
      #expect(read.property == 7)
      #expect(read.change == [8: 9])
      #expect(read.keyPath == "k")
      #expect(read.newValue == .two)
      #expect(read.initialValue == 10)
      #expect(read.access == 11)
      #expect(read.withMutation == [12])
      #expect(read.header == 13)
      #expect(read.fields == nil)
      #expect(read.id == "own")
      #expect(read.größe == 1.5)
      #expect(read.名前 == "n")
      #expect(read.💧)
      #expect(read.`due date` == [15])
      #expect(read.select == "s")
      #expect(read.rowid == 99)
      #expect(read.group == .two)
      read.access = 12
      read.row = 3
      read.`due date` = []
      try read.modelContext?.save()
      #expect(try store.value("SELECT \"access\" FROM Words") == .integer(12))
      #expect(try store.value("SELECT \"due date\" FROM Words") == .text("[]"))
      let found = try store.context().fetch(
        FetchDescriptor<Shapes.Words>(
          predicate: #Predicate { $0.default == 1 && $0.order == 16 && $0.名前 == "n" && $0.row == 3 },
          sortBy: [SortDescriptor(\.größe)]))
      #expect(found.count == 1)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func modelsMayHaveOddNames(_ place: StoreLocation) throws {
    try again(place, Shapes.Select()) { read, store in
      #expect(read.a == 1)
      let count = try store.value("SELECT count(*) FROM \"Select\"")
      #expect(count == .integer(1))
    }
    try again(place, Shapes.Größe()) { read, _ in #expect(read.a == 1) }
    try again(place, Shapes.`Class`()) { read, _ in #expect(read.a == 1) }
    try again(place, Shapes.Outer.Inner.Deep()) { read, store in
      #expect(read.name == "deep")
      let name = try store.value("SELECT name FROM Deep")
      #expect(name == .text("deep"))
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func valuesOfAllShapesComeBack(_ place: StoreLocation) throws {
    typealias Values = Shapes.Values
    let model = Values()
    model.rawOrNil = .b
    model.associated = .pair(3, label: nil)
    model.associatedOrNil = .text("x")
    model.raws = [.b, .a, .b]
    model.rawSet = [.a]
    model.points = [Values.Point(x: 1, y: 2)]
    model.pointsOrNil = []
    model.pointSet = [Values.Point(x: 3, y: 4), Values.Point(x: 1, y: 2)]
    model.byName = ["b": Values.Point(x: 1, y: 2), "a": Values.Point(x: 0, y: 0)]
    model.byNumber = [2: ["x", "y"]]
    model.byRaw = [.b: 1]
    model.nested = Values.Nested(point: Values.Point(x: 1, y: 1), associated: .text("n"), points: nil)
    model.matrix = [[1], [], [2, 3]]
    model.optionals = [1, nil, 2]
    model.associatedList = [.nothing, .pair(1, label: "l")]
    model.dates = [Date(timeIntervalSinceReferenceDate: 0.1)]
    model.bytes = [Data([1, 2]), Data()]
    model.unwrapped = Values.Point(x: 7, y: 8)
    try again(place, model) { read, store in
      #expect(read.raw == .a)
      #expect(read.rawOrNil == .b)
      #expect(read.number == .two)
      #expect(read.associated == .pair(3, label: nil))
      #expect(read.associatedOrNil == .text("x"))
      #expect(read.raws == [.b, .a, .b])
      #expect(read.rawSet == [.a])
      #expect(read.byRaw == [.b: 1])
      #expect(read.points == model.points)
      #expect(read.pointsOrNil == [])
      #expect(read.pointSet == model.pointSet)
      #expect(read.byName == model.byName)
      #expect(read.byNumber == [2: ["x", "y"]])
      #expect(read.nested == model.nested)
      #expect(read.matrix == [[1], [], [2, 3]])
      #expect(read.optionals == [1, nil, 2])
      #expect(read.associatedList == model.associatedList)
      #expect(read.dates == model.dates)
      #expect(read.bytes == model.bytes)
      #expect(read.unwrapped == Values.Point(x: 7, y: 8))
      #expect(read.text == "t")
      #expect(read.range == 1...2)
      // Equal values are no change, whatever the order of a set or a dictionary.
      read.byName = model.byName
      read.pointSet = model.pointSet
      read.associated = .pair(3, label: nil)
      #expect(!read.hasChanges)
      read.associatedOrNil = nil
      read.pointsOrNil = nil
      read.nested = nil
      try read.modelContext?.save()
      #expect(try store.value("SELECT associatedOrNil FROM \"Values\"") == .null)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func defaultValuesAreWhatAnObjectBeginsWith(_ place: StoreLocation) throws {
    try again(place, Shapes.Defaults()) { read, store in
      #expect(read.text == "t")
      #expect(read.number == -1)
      #expect(read.date == .distantPast)
      #expect(read.list == [1, 2])
      #expect(read.kind == .b)
      #expect(read.optional == 5)
      #expect(read.made == Shapes.Values.Point(x: 1, y: 2))
      #expect(read.url.absoluteString == "https://example.org")
      #expect(read.decimal == 1.5)
      read.optional = nil
      try read.modelContext?.save()
      let withoutNumber = FetchDescriptor<Shapes.Defaults>(predicate: #Predicate { $0.optional == nil })
      #expect(try store.context().fetchCount(withoutNumber) == 1)
    }
    let attributes = Schema([Shapes.Defaults.self]).entitiesByName["Defaults"]?.attributesByName
    #expect(attributes?["list"]?.defaultValue as? [Int] == [1, 2])
    #expect(attributes?["kind"]?.defaultValue as? Shapes.Values.Raw == .b)
    #expect(attributes?["optional"]?.defaultValue as? Int == 5)
  }

  @Test func modelsMayBePrivate() throws {
    let store = try TestStore(.memory, Shapes.hidden, Shapes.filePrivate)
    let context = store.context()
    func insert<T: PersistentModel>(_ model: T) { context.insert(model) }
    insert(Shapes.makeHidden())
    insert(Shapes.makeFilePrivate())
    try context.save()
    #expect(try Shapes.hiddenSums(store.context()) == [4])
    #expect(try Shapes.filePrivateNames(store.context()) == ["fx"])
    #expect(try store.value("SELECT secret FROM Hidden") == .integer(3))
  }

  @Test func originalNamesAreKept() throws {
    let store = try TestStore(.disk, Shapes.Renamed.self)
    let entity = try #require(store.container.schema.entitiesByName["Renamed"])
    #expect(entity.attributesByName["name"]?.originalName == "title")
    #expect(entity.attributesByName["text"]?.originalName == "text")
    #expect(entity.relationshipsByName["children"]?.originalName == "sub")
    let names = try store.rows(
      """
      SELECT property.value ->> 'name', property.value ->> 'originalName' FROM larder_store,
        json_each(larder_store.value) AS entity, json_each(entity.value, '$.columns') AS property
      WHERE larder_store.key = 'schema' AND property.value ->> 'originalName' IS NOT NULL
      """)
    #expect(names == [[.text("name"), .text("title")], [.text("code"), .text("number")]])
    // A store made before the name was given is the same store.
    _ = try TestStore.open(.disk, store.url, [Shapes.Renamed.self])
  }
}

// MARK: - Options that do nothing to the value

@Suite struct AttributeOptionTests {
  private func attributes() throws -> [String: Schema.Attribute] {
    try #require(Schema([Shapes.Renamed.self]).entitiesByName["Renamed"]).attributesByName
  }

  @Test func hashModifierSetsSchemasApart() throws {
    let code = try #require(try attributes()["code"])
    #expect(code.hashModifier == "v2")
    let coded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(code))
    #expect(coded == code)
    coded.hashModifier = "v3"
    #expect(coded != code)
  }

  @Test(arguments: StoreLocation.allCases)
  func optionsWithoutEffectKeepTheirSpelling(_ place: StoreLocation) throws {
    let text = try #require(try attributes()["text"])
    #expect(text.options == [.spotlight, .allowsCloudEncryption, .preserveValueOnDeletion])
    let store = try TestStore(place, Shapes.Renamed.self)
    let context = store.context()
    let model = Shapes.Renamed()
    model.text = "t"
    context.insert(model)
    try context.save()
    #expect(try store.value("SELECT text FROM Renamed") == .text("t"))
    context.delete(model)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Renamed") == .integer(0))
    #expect(model.text == "t", "the deleted object keeps it")
  }
}
