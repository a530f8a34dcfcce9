import Botany
import Foundation
import LarderData
import SwiftData
import Testing

/// How a hierarchy lies in the file, and what is wrong with some.
@Suite struct InheritanceStoreTests {
  private func store(_ place: StoreLocation = .memory) throws -> TestStore {
    try TestStore(place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
  }

  @Test func hierarchyHasOneTable() throws {
    let store = try store()
    let sql = try store.value("SELECT sql FROM sqlite_schema WHERE name = 'Plant'")
    #expect(
      sql
        == .text(
          """
          CREATE TABLE "Plant" (
            larder_id INTEGER PRIMARY KEY,
            larder_version INTEGER NOT NULL DEFAULT 1,
            larder_class TEXT NOT NULL,
            "code" TEXT NOT NULL,
            "name" TEXT NOT NULL,
            "planted" REAL,
            "place" INTEGER NOT NULL,
            "place_row" INTEGER,
            "place_column" INTEGER,
            "garden" INTEGER REFERENCES "Garden" (larder_id) DEFERRABLE INITIALLY DEFERRED,
            "larder_garden_order" INTEGER,
            "Flower_height" INTEGER,
            "Flower_registration" TEXT,
            "Flower_colours" TEXT,
            "Tree_height" REAL,
            "Tree_registration" INTEGER,
            "Tree_bark" TEXT,
            "Tree_keeper" INTEGER REFERENCES "Keeper" (larder_id) DEFERRABLE INITIALLY DEFERRED,
            "larder_Tree_keeper_order" INTEGER,
            "Oak_acorns" INTEGER,
            "Oak_measured" INTEGER,
            "Oak_measured_row" INTEGER,
            "Oak_measured_column" INTEGER,
            CHECK (larder_class IN ('Plant', 'Flower', 'Tree', 'Weed', 'Oak')),
            CHECK (larder_class NOT IN ('Flower') OR ("Flower_height" IS NOT NULL AND "Flower_colours" IS NOT NULL)),
            CHECK (larder_class NOT IN ('Tree', 'Oak') OR ("Tree_height" IS NOT NULL AND "Tree_bark" IS NOT NULL)),
            CHECK (larder_class NOT IN ('Oak') OR ("Oak_acorns" IS NOT NULL AND "Oak_measured" IS NOT NULL))
          ) STRICT
          """))
    let context = store.context()
    insertPlants(context)
    try context.save()
    #expect(
      try store.rows("SELECT larder_class, name, Tree_height FROM Plant WHERE Tree_height > 1 ORDER BY name")
        == [[.text("Tree"), .text("beech"), .real(20)], [.text("Oak"), .text("oak"), .real(30)]])
    #expect(throws: (any Error).self) {
      try store.execute("UPDATE Plant SET Tree_height = NULL WHERE larder_class = 'Oak'")
    }
    #expect(throws: (any Error).self) { try store.execute("UPDATE Plant SET larder_class = 'Fern'") }
  }

  @Test func modelWithoutSubclassesHasNoClassColumn() throws {
    let store = try TestStore(.memory, Plant.self)
    #expect(try store.rows("SELECT 1 FROM pragma_table_info('Plant') WHERE name = 'larder_class'").isEmpty)
  }

  @Test func schemaTellsWhatIsInherited() throws {
    let schema = Schema([Oak.self, Flower.self])
    let tree = try #require(schema.entity(for: Tree.self))
    let oak = try #require(schema.entity(for: Oak.self))
    let plant = try #require(schema.entity(for: Plant.self))
    #expect(oak.superentity === tree)
    #expect(tree.superentityName == "Plant")
    #expect(plant.superentity == nil)
    #expect(Set(plant.subentities.map(\.name)) == ["Tree", "Flower"])
    #expect(oak.storedProperties.map(\.name) == ["acorns", "measured"])
    #expect(
      oak.inheritedProperties.map(\.name) == [
        "code", "name", "planted", "place", "garden", "height", "registration", "bark", "keeper", "climbers",
      ])
    #expect(tree.uniquenessConstraints == [["registration", "name"]])
    #expect(tree.indices == [["height", "name"]])
    #expect(tree.relationshipsByName["keeper"]?.inverseName == "trees")
    #expect(tree.relationshipsByName["garden"]?.inverseName == "plants")
    #expect(Oak.schemaMetadata.map(\.name) == ["acorns", "measured"])
  }

  @Test func hierarchyWithoutOneOfItsClassesIsRefused() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    do {
      let container = try TestStore.open(.disk, url, [Oak.self, Flower.self])
      let context = ModelContext(container)
      context.insert(Oak(code: "o", name: "oak", height: 1, acorns: 1))
      try context.save()
    }
    let error = #expect(throws: StoreError.self) { _ = try TestStore.open(.disk, url, [Oak.self]) }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("Flower") == true)
    do {
      let again = try TestStore.open(.disk, url, [Oak.self, Flower.self])
      #expect(try ModelContext(again).fetch(FetchDescriptor<Plant>()).first is Oak)
    }
    let more = try TestStore.open(.disk, url, [Oak.self, Flower.self, Weed.self])
    #expect(try ModelContext(more).fetch(FetchDescriptor<Plant>()).first is Oak)
  }

  @Test func rowWhoseClassChangedIsATypedError() throws {
    let store = try store(.disk)
    let context = store.context()
    insertPlants(context)
    try context.save()
    let held = try context.fetch(FetchDescriptor<Plant>())
    try store.execute(
      "UPDATE Plant SET larder_class = 'Weed', larder_version = larder_version + 1 WHERE larder_class = 'Flower'")
    let error = #expect(throws: FetchError.self) { try context.fetch(FetchDescriptor<Plant>()) }
    #expect(error?.code == .unreadableValue)
    withExtendedLifetime(held) {}
    #expect(try store.context().fetchCount(FetchDescriptor<Weed>()) == 2)
  }

  @Test func classOutsideTheContainerIsNotInserted() throws {
    let container = try TestStore.open(.memory, TestFolder().url("x"), [Tree.self])
    let context = ModelContext(container)
    context.insert(Oak(code: "o", name: "oak", height: 1, acorns: 1))
    #expect(throws: (any Error).self) { try context.save() }
  }

  @Test func subclassThatIsNoModelIsNotInserted() throws {
    let context = ModelContext(try TestStore.open(.memory, TestFolder().url("x"), [Plant.self]))
    final class Fern: Plant {}
    context.insert(Fern(code: "f", name: "fern"))
    let error = #expect(throws: (any Error).self) { try context.save() }
    #expect(error.map { "\($0)".contains("@Model") } == true)
  }

  @Test func hierarchyMayHaveMorePropertiesThanAMaskHasBits() throws {
    let store = try TestStore(.disk, WideChild.self, WideSibling.self)
    let context = store.context()
    let child = WideChild()
    child.c9 = 9
    child.b39 = 39
    child.text = "x"
    let sibling = WideSibling()
    sibling.s29 = 29
    context.insert(child)
    context.insert(sibling)
    try context.save()
    let fresh = store.context()
    let read = try fresh.fetch(FetchDescriptor<WideBase>())
    #expect(read.count == 2)
    let readChild = try #require(read[0] as? WideChild)
    #expect(readChild.c9 == 9)
    #expect(readChild.b39 == 39)
    #expect(readChild.text == "x")
    #expect((read[1] as? WideSibling)?.s29 == 29)
    readChild.c29 = 1
    readChild.text = "y"
    readChild.b0 = 5
    let found = FetchDescriptor<WideChild>(predicate: #Predicate { $0.c29 == 1 && $0.text == "y" && $0.b0 == 5 })
    #expect(try fresh.fetchCount(found) == 1)
    fresh.rollback()
    #expect(readChild.c29 == 0)
    #expect(readChild.c9 == 9)
    #expect(readChild.text == "x")
    readChild.c29 = 7
    try fresh.save()
    let last = try #require(try store.context().fetch(FetchDescriptor<WideChild>()).first)
    #expect(last.c29 == 7)
    #expect(last.c9 == 9)
    #expect(last.text == "x")
  }
}
