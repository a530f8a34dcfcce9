import Foundation

/// The files that come with the program.
enum Resources {
  struct Missing: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) is missing beside the program: build it again." }
  }

  /// A file of `Data`, or one of the page's.
  static func data(_ name: String) throws -> Data {
    for folder in ["Data", "Assets"] {
      let url = Bundle.module.bundleURL.appending(path: folder).appending(path: name)
      if let data = try? Data(contentsOf: url) { return data }
    }
    throw Missing(name: name)
  }
}
