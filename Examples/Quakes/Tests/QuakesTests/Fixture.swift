import Foundation

/// The files in Fixtures.
enum Fixture {
  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures").appending(path: name))
  }

  /// A folder of a test's own, removed when the last reference goes.
  final class Folder: Sendable {
    let url: URL

    init() throws {
      url = FileManager.default.temporaryDirectory.appending(path: "quakes-tests-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(at: url)
    }
  }
}
