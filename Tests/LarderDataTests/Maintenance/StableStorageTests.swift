import Foundation
import LarderData
import Testing

/// Files that take a name.
@Suite struct StableStorageTests {
  private let folder = TestFolder()

  private func write(_ text: String, _ name: String) throws -> String {
    let url = folder.url(name)
    try Data(text.utf8).write(to: url)
    return url.path(percentEncoded: false)
  }

  private func text(_ name: String) -> String? {
    (try? Data(contentsOf: folder.url(name))).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aNameThatNothingHasIsTaken() throws {
    let part = try write("new", "a.part")
    #expect(try DurableFileIO.createIfAbsent(folder.url("a").path(percentEncoded: false), from: part))
    #expect(text("a") == "new" && text("a.part") == nil)
  }

  /// However short before.
  @Test func whatHasTheNameStays() throws {
    let (part, other) = (try write("new", "a.part"), try write("other's", "a"))
    #expect(try !DurableFileIO.createIfAbsent(other, from: part))
    #expect(text("a") == "other's" && text("a.part") == "new")
    // Also a link that leads nowhere.
    let link = folder.url("b").path(percentEncoded: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    #expect(try !DurableFileIO.createIfAbsent(link, from: part))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "nowhere")
    #expect(text("a.part") == "new")
  }

  @Test func aFolderThatIsNotThereIsSaid() throws {
    let part = try write("new", "a.part")
    #expect(throws: DurableFileIO.Failure.self) {
      try DurableFileIO.createIfAbsent(folder.url("nowhere/a").path(percentEncoded: false), from: part)
    }
    #expect(text("a.part") == "new")
  }
}
