package import Foundation

/// A folder of a test's own, removed with everything in it.
package final class WorkFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "larder-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have left folders that not even their owner may empty.
    for name in names {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder), isFolder.boolValue else {
        continue
      }
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path(name))
    }
    try? FileManager.default.removeItem(at: url)
  }

  package func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
  package func path(_ name: String) -> String { file(name).path(percentEncoded: false) }
  package func bytes(_ name: String) -> Data? { try? Data(contentsOf: file(name)) }

  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))) ?? []).sorted()
  }
}
