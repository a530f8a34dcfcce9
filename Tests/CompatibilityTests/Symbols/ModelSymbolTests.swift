import SwiftData
import Testing

/// Models and their backing data, as generic code uses them.
@Suite struct ModelSymbolTests {
  typealias Shelf = SymbolModels.Shelf
  typealias Volume = SymbolModels.Volume

  private func rowOf<Model: PersistentModel>(_ model: Model, _ keyPath: KeyPath<Model, Int>) -> Int {
    model.getValue(forKey: keyPath)
  }

  @Test func valuesAreReadAndSetByKeyPath() {
    let shelf = Shelf(label: "a", row: 1)
    shelf.setValue(forKey: \.row, to: 7)
    #expect(rowOf(shelf, \.row) == 7 && shelf.row == 7)
    shelf.setValue(forKey: \.note, to: "new")
    let note: String? = shelf.getValue(forKey: \.note)
    #expect(note == "new")
    shelf.setTransformableValue(forKey: \.label, to: "b")
    let label: String = shelf.getTransformableValue(forKey: \.label)
    #expect(label == "b")
  }

  @Test func relatedModelsAreReadAndSetByKeyPath() {
    let shelf = Shelf(label: "a", row: 1)
    let volume = Volume(title: "v")
    volume.setValue(forKey: \.shelf, to: shelf)
    let found: Shelf? = volume.getValue(forKey: \.shelf)
    #expect(found === shelf)
    let other = Shelf(label: "b", row: 2)
    other.setValue(forKey: \.volumes, to: [volume])
    let volumes: [Volume] = other.getValue(forKey: \.volumes)
    #expect(volumes.count == 1 && volumes.first === volume)
  }

  @Test func aModelIsMadeFromBackingData() {
    var data: any BackingData<Shelf> = Shelf.createBackingData()
    data.setValue(forKey: \.label, to: "c")
    data.setValue(forKey: \.row, to: 4)
    data.setTransformableValue(forKey: \.note, to: "kept" as String?)
    let row: Int = data.getValue(forKey: \.row)
    let note: String? = data.getTransformableValue(forKey: \.note)
    #expect(row == 4 && note == "kept")
    #expect(data.metadata is [Schema.PropertyMetadata])
    data.persistentModelID = nil
    #expect(data.persistentModelID == nil)
    let shelf = Shelf(backingData: data)
    #expect(shelf.label == "c" && shelf.row == 4 && shelf.note == "kept" && shelf.room == "A")
    let copy: Int = shelf.persistentBackingData.getValue(forKey: \.row)
    #expect(copy == 4)
  }

  @Test func relatedModelsLieInBackingData() {
    let shelf = Shelf(label: "a", row: 1)
    var data: any BackingData<Volume> = Volume.createBackingData()
    data.setValue(forKey: \.title, to: "v")
    data.setValue(forKey: \.shelf, to: shelf)
    let found: Shelf? = data.getValue(forKey: \.shelf)
    #expect(found === shelf)
    var other: any BackingData<Shelf> = Shelf.createBackingData()
    let volume = Volume(title: "w")
    other.setValue(forKey: \.volumes, to: [volume])
    let volumes: [Volume] = other.getValue(forKey: \.volumes)
    #expect(volumes.first === volume)
  }

  @Test func modelsAreEqualAndHashedByTheirIdentifier() {
    let one = Shelf(label: "a", row: 1)
    let two = Shelf(label: "a", row: 1)
    #expect(one == one && one != two)
    #expect(Set([one, two, one]).count == 2)
    #expect(one.id == one.persistentModelID)
  }

  @Test func collectionsOfModelsNameTheirElement() {
    func element<Models: RelationshipCollection>(_ type: Models.Type) -> String {
      "\(Models.PersistentElement.self)"
    }
    #expect(element([Volume].self) == "Volume")
    #expect(element([Volume]?.self) == "Volume")
    #expect("\(Volume.Root.self)" == "Volume")
  }

  @Test func transientPropertiesAreNoPartOfTheSchema() throws {
    let shelf = Shelf(label: "a", row: 1)
    shelf.isOpen = true
    #expect(shelf.isOpen)
    #expect(try #require(Schema(Shelf.self, Volume.self).entity(for: Shelf.self)).attributesByName["isOpen"] == nil)
  }

  @Test func modelsCannotBeSent() throws {
    let messages = try Compiler().diagnostics(
      """
      @Model final class Box { var size = 1 }
      func send<Value: Sendable>(_ value: Value) {}
      func context(_ context: ModelContext) { send(context) }
      func model(_ box: Box) { send(box) }
      """)
    #expect(messages.filter { $0.contains("ModelContext") && $0.contains("Sendable") }.count == 1, "\(messages)")
    #expect(messages.filter { $0.contains("Box") && $0.contains("Sendable") }.count == 1, "\(messages)")
  }
}
