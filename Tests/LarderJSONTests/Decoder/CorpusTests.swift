import Foundation
import LarderJSON
import Testing

/// Documents that others have written: those of this repository, and of Debian packages where they are installed.
///
/// | package | folder | documents |
/// |---|---|---|
/// | json-schema-test-suite | /usr/share/json-schema-test-suite | what schemas are tested with |
/// | iso-codes | /usr/share/iso-codes/json | languages, countries and currencies, up to a megabyte |
///
/// `LARDER_JSON_CORPUS` names more folders, with colons between them: that of a source distribution from PyPI, say. Where
/// their files are named as those of JSONTestSuite are, `y_` must be taken and
/// `n_` refused.
@Suite struct CorpusTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func files() -> [URL] {
    var folders = [
      CorpusTests.package.appending(path: "Examples/Quakes/Data"), URL(filePath: "/usr/share/json-schema-test-suite"),
      URL(filePath: "/usr/share/iso-codes/json"),
    ]
    let more = ProcessInfo.processInfo.environment["LARDER_JSON_CORPUS"] ?? ""
    folders += more.split(separator: ":").map { URL(filePath: String($0)) }
    return folders.flatMap { folder in
      let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      return (found?.compactMap { $0 as? URL } ?? []).filter { ["json", "geojson"].contains($0.pathExtension) }
    }
  }

  @Test func documentsOfOthers() throws {
    let files = files()
    #expect(files.count >= 2)
    var taken = 0
    for file in files {
      let data = try Data(contentsOf: file)
      let ours = try? StrictJSONDecoder().decode(Tree.self, from: data)
      let feeding: Feeding = data.count % 2 == 0 ? .fed : .pulled
      let direct = try? feeding.read(Array(data), seed: UInt64(data.count)) { try Tree(reading: &$0) }
      let isRead = ours.map { own in direct.map { $0 == own } ?? false } ?? (direct == nil)
      #expect(isRead, "\(file.path())")
      if ours != nil { taken += 1 }
      let name = file.lastPathComponent
      if name.hasPrefix("y_") { #expect(ours != nil, "\(name)") }
      if name.hasPrefix("n_") { #expect(ours == nil, "\(name)") }
      guard let ours, let theirs = try? JSONDecoder().decode(Tree.self, from: data) else { continue }
      let isSame = ours.isNearly(theirs)
      #expect(isSame, "\(file.path())")
    }
    print("\(files.count) documents, \(taken) taken")
    #expect(taken >= 2)
  }
}
