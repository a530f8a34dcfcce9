import Foundation
import SwiftData
import Testing

@testable import LarderData

/// `.transformable(by:)`: the stored form is made by a value transformer.
@Suite struct TransformableTests {
  init() {
    ValueTransformer.setValueTransformer(
      MirrorTransformer(), forName: NSValueTransformerName("Larder.Tests.Mirror"))
  }

  @Test(arguments: StoreLocation.allCases)
  func transformersMakeTheStoredForm(_ place: StoreLocation) throws {
    let store = try TestStore(place, Wall.self)
    let context = store.context()
    let wall = Wall(paint: Paint("red"))
    wall.ground = Paint("sand")
    context.insert(wall)
    try context.save()
    #expect(try store.value("SELECT paint FROM Wall") == .blob(Array("red".utf8)))
    #expect(try store.value("SELECT trim FROM Wall") == .null)
    #expect(try store.value("SELECT motto FROM Wall") == .blob(Array("cba".utf8)))
    #expect(try store.value("SELECT value FROM larder_external_Wall_ground") == .blob(Array("sand".utf8)))
    let other = store.context()
    let again = try #require(try other.fetch(FetchDescriptor<Wall>()).first)
    #expect(again.paint.name == "red" && again.trim == nil && again.motto == "abc" && again.ground?.name == "sand")
    again.trim = Paint("white")
    again.motto = "xyz"
    #expect(again.hasChanges)
    other.rollback()
    #expect(again.trim == nil && again.motto == "abc")
    again.paint = Paint("red")
    #expect(again.hasChanges, "an object may have been changed where it is: what is assigned is stored")
    again.setTransformableValue(forKey: \.paint, to: Paint("blue"))
    try other.save()
    #expect(try store.value("SELECT paint FROM Wall") == .blob(Array("blue".utf8)))
    let name: Paint = again.getTransformableValue(forKey: \.paint)
    #expect(name.name == "blue")
  }

  @Test func valueThatTheTransformerCannotReadIsAnError() throws {
    let store = try TestStore(.memory, Wall.self)
    try store.execute("INSERT INTO Wall (paint, motto, width) VALUES (CAST('spoilt' AS BLOB), x'', 1)")
    let error = #expect(throws: FetchError.self) { try store.context().fetch(FetchDescriptor<Wall>()) }
    #expect(error?.explanation.contains("PaintTransformer") == true)
  }

  @Test func transformerThatMakesNoDataIsAnErrorAtTheSave() throws {
    let store = try TestStore(.memory, LooseWall.self)
    let context = store.context()
    context.insert(LooseWall())
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.explanation.contains("made a Int of it") == true)
  }

  private func refusal(_ model: any PersistentModel.Type) -> String {
    do {
      _ = try TestStore(.memory, model)
      return ""
    } catch {
      #expect(SwiftDataError.loadIssueModelContainer ~= error)
      return "\(error)"
    }
  }

  @Test func unknownTransformersAreToldWhenTheContainerOpens() {
    let sentence = refusal(UnknownWall.self)
    #expect(sentence.contains("UnknownWall.paint") && sentence.contains("\"NobodyKnowsThisOne\""))
    #expect(refusal(OneWayWall.self).contains("reverse transformation"))
  }

  @Test func transformerMayBeMadeKnownLater() throws {
    _ = LateWall()
    #expect(refusal(LateWall.self).contains("Larder.Tests.Late"))
    ValueTransformer.setValueTransformer(MirrorTransformer(), forName: NSValueTransformerName("Larder.Tests.Late"))
    #expect(refusal(LateWall.self) == "")
  }

  @Test func transformableInAQueryIsAskedInSwift() throws {
    let store = try TestStore(.memory, Wall.self)
    let context = store.context()
    context.insert(Wall(paint: Paint("red")))
    try context.save()
    let motto = "abc"
    func count(_ predicate: Predicate<Wall>) throws -> Int {
      try store.context().fetch(FetchDescriptor(predicate: predicate)).count
    }
    #expect(try count(#Predicate { $0.motto == motto }) == 1)
    #expect(try count(#Predicate { $0.motto != motto }) == 0)
    #expect(try count(#Predicate { $0.motto.contains("b") && $0.width == 1 }) == 1)
    #expect(try count(#Predicate { $0.motto < "b" }) == 1)
    context.insert(Wall(paint: Paint("blue")))
    #expect(try context.fetchCount(FetchDescriptor<Wall>(predicate: #Predicate { $0.motto == motto })) == 2)
  }
}

@Model
private final class LateWall {
  @Attribute(.transformable(by: "Larder.Tests.Late")) var text: String = ""
  init() {}
}
