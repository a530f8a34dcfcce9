import Foundation
import LarderData
import SwiftData
import Testing

/// Configurations that do not fit together are refused before anything is opened.
@Suite struct StorePlanTests {
  private func refusal(
    _ models: [any PersistentModel.Type], _ configurations: [ModelConfiguration]
  ) -> SwiftDataError? {
    do {
      _ = try ModelContainer(for: Schema(models), configurations: configurations)
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  private func memory(_ name: String, _ models: any PersistentModel.Type...) -> ModelConfiguration {
    ModelConfiguration(name, schema: Schema(models), isStoredInMemoryOnly: true)
  }

  @Test func twoOfANameOrAFileAreRefused() throws {
    let folder = TestFolder()
    #expect(
      refusal([Crate.self, Sensor.self], [memory("one", Crate.self), memory("one", Sensor.self)])
        == .duplicateConfiguration)
    let same = refusal(
      [Crate.self, Sensor.self],
      [
        ModelConfiguration("one", schema: Schema([Crate.self]), url: folder.url("a.store")),
        ModelConfiguration("two", schema: Schema([Sensor.self]), url: folder.url("b/../a.store")),
      ])
    #expect(same == .duplicateConfiguration)
    #expect(same?.errorDescription?.contains("a.store") == true)
    #expect(folder.names == [])
    // Names that nobody gave.
    #expect(
      refusal(
        [Crate.self, Sensor.self],
        [
          ModelConfiguration(for: Crate.self, isStoredInMemoryOnly: true),
          ModelConfiguration(for: Sensor.self, isStoredInMemoryOnly: true),
        ]) == nil)
  }

  @Test func modelsThatTheContainerLacksAreNamed() {
    let error = refusal([Crate.self], [memory("one", Crate.self), memory("two", Sensor.self)])
    #expect(error == .configurationSchemaNotFoundInContainerSchema)
    #expect(error?.errorDescription?.contains("\"two\" keeps Sensor") == true)
  }

  @Test func aModelWithoutAStoreIsNamed() {
    let error = refusal([Crate.self, Sensor.self], [memory("one", Crate.self)])
    #expect(error == .loadIssueModelContainer)
    #expect(error?.errorDescription?.contains("Sensor is in none") == true)
  }

  @Test func aModelInTwoStoresIsNamed() {
    let error = refusal(
      [Crate.self, Sensor.self], [memory("one", Crate.self, Sensor.self), memory("two", Sensor.self)])
    #expect(error == .loadIssueModelContainer)
    #expect(error?.errorDescription?.contains("Sensor is in the configurations \"one\" and \"two\"") == true)
  }

  /// A schema of one end has the other end in it.
  @Test func relatedModelsLieInOneStore() {
    let error = refusal([Family.self, Member.self], [memory("one", Family.self), memory("two", Member.self)])
    #expect(error == .loadIssueModelContainer)
    #expect(error?.errorDescription?.contains("together with those that it is related to") == true)
    // One end knows nothing of the other.
    let oneSided = refusal(
      [Article.self], [memory("one", Picture.self), ModelConfiguration(isStoredInMemoryOnly: true)])
    #expect(oneSided?.errorDescription?.contains("Article is related by cover to Picture") == true)
    #expect(
      refusal([Family.self, Member.self, Crate.self], [memory("one", Family.self), memory("two", Crate.self)]) == nil)
  }

  @Test(.directly("it looks at what an SQLite store shares and records")) func oneFileUnderTwoNamesIsRefused() throws {
    let folder = TestFolder()
    try FileManager.default.createDirectory(at: folder.url("real"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("real"))
    let error = refusal(
      [Crate.self, Sensor.self],
      [
        ModelConfiguration("one", schema: Schema([Crate.self]), url: folder.url("real/a.store")),
        ModelConfiguration("two", schema: Schema([Sensor.self]), url: folder.url("link/a.store")),
      ])
    #expect(error == .duplicateConfiguration)
    #expect(error?.errorDescription?.contains("lead to the same file") == true)
  }

  @Test func twoConfigurationsForTheRestAreRefused() {
    let error = refusal(
      [Crate.self],
      [ModelConfiguration("one", isStoredInMemoryOnly: true), ModelConfiguration("two", isStoredInMemoryOnly: true)])
    #expect(error == .loadIssueModelContainer)
    #expect(error?.errorDescription?.contains("Give all but one of them a schema") == true)
  }
}
