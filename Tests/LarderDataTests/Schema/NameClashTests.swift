import Foundation
import LarderData
import SwiftData
import Testing

/// Models whose tables or indexes would have one name in the store.
@Suite struct NameClashTests {
  enum Beside {
    @Model final class Page {
      // swift-format-ignore: AlwaysUseLowerCamelCase
      @Attribute(.externalStorage) var a_b: Data?
      init() {}
    }

    @Model final class Page_a {
      @Attribute(.externalStorage) var b: Data?
      init() {}
    }
  }

  private func expectRefusal(
    _ models: [any PersistentModel.Type], _ words: [String], _ location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      try ModelContainer(for: Schema(models), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error == .loadIssueModelContainer, sourceLocation: location)
    for part in words {
      #expect(error?.explanation?.contains(part) == true, "\(error?.explanation ?? "")", sourceLocation: location)
    }
  }

  @Test func tablesBesideTheRowsThatWouldBeCalledAlikeAreRefused() throws {
    expectRefusal(
      [Beside.Page.self, Beside.Page_a.self], ["Page and Page_a", "larder_external_Page_a_b", "Rename"])
    // Each by itself may be called as it is.
    for model in [Beside.Page.self, Beside.Page_a.self] as [any PersistentModel.Type] {
      _ = try ModelContainer(for: Schema([model]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  /// A store may have the table of a model that is not named.
  @Test func aTableThatAnotherModelOfTheStoreHasIsNotMadeAgain() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    do { _ = try ModelContainer(for: Beside.Page.self, configurations: ModelConfiguration(url: url)) }
    let before = folder.bytes()
    let error = #expect(throws: StoreError.self) {
      try ModelContainer(for: Beside.Page_a.self, configurations: ModelConfiguration(url: url))
    }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("larder_external_Page_a_b") == true, "\(error?.explanation ?? "")")
    #expect(folder.bytes() == before)
  }
}
