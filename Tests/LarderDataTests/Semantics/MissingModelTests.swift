import Foundation
import LarderData
import SwiftData
import Testing

/// What `model(for:)` gives for an identifier without a row.
@Suite struct MissingModelTests {
  private static func missing(_ store: TestStore) throws -> (context: ModelContext, crate: Crate) {
    let crate = Crate(number: 1, text: "was")
    let context = try store.saved([crate])
    context.delete(crate)
    try context.save()
    return (context, try #require(context.model(for: crate.persistentModelID) as? Crate))
  }

  @Test(arguments: StoreLocation.allCases)
  func modelThatStandsForNothingCanBeSetAndSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (context, missing) = try Self.missing(store)
    missing.number = 7
    missing.text = "new"
    context.insert(missing)
    #expect(missing.text == "new" && missing.note == nil)
    try context.save()
    #expect(missing.number == 7 && !missing.isDeleted)
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(7), .text("new")]])
    #expect(try context.fetch(FetchDescriptor<Crate>()).first === missing)
  }

  #if os(Linux)
    @Test func modelThatStandsForNothingEndsTheProgramWithASentence() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (_, missing) = try MissingModelTests.missing(try TestStore(.memory, Crate.self))
        _ = missing.text
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("model(for:) was asked for Crate 1, and there is no row 1 of it"))
      #expect(said.contains("Use existingModel(for:as:)"))
    }
  #endif
}
