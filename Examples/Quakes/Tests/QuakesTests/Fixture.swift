import Foundation

/// The files in Fixtures.
enum Fixture {
  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures").appending(path: name))
  }
}
