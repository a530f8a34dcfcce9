import Foundation
import SwiftData
import Testing

@testable import LarderData

/// What other programs have written into the store in other ways than this one does.
@Suite struct HandmadeRowTests {
  /// A name that no program has written, of a type that no model has.
  @Test func aTypeOfManyLayersIsAnUnknownOne() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    try store.execute(
      "UPDATE larder_store SET value = json_set(value, '$[0].columns[0].valueType', '\(name(100_000))') "
        + "WHERE key = 'schema'")
    let titles = try store.open(Plain.Note.self) { try $0.all(Plain.Note.self).map(\.title) }
    #expect(titles == ["a"])
  }

  private func name(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + "Int" + String(repeating: "]", count: depth)
  }

  @Test func namesOfTypesAreToldUpToADepth() {
    let deepest = ValueTypes.deepestName
    #expect(ValueTypes.type(named: "[[String?]]?") is [[String?]]?.Type)
    #expect(ValueTypes.name(of: ValueTypes.type(named: name(deepest))) == name(deepest))
    let deeper = ValueTypes.name(of: ValueTypes.type(named: name(deepest + 1)))
    #expect(deeper == name(deepest).replacing("Int", with: "Unresolved"))
    let optional = ValueTypes.name(of: ValueTypes.type(named: "Int" + String(repeating: "?", count: 100_000)))
    #expect(optional == "Unresolved" + String(repeating: "?", count: deepest))
  }
}
