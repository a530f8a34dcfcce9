public import Foundation

/// Files that come with a program.
public enum Assets {
  /// One that is not there.
  public struct Missing: Error, CustomStringConvertible {
    /// The file's name.
    public let name: String

    /// What to do.
    public var description: String { "\(name) is missing beside the program: build it again." }
  }

  /// The script by which pages follow a hub's events.
  public static var liveScript: Data {
    get throws { try data("live.js", in: ["Assets"], of: .module) }
  }

  /// What the styles of pages begin with.
  public static var baseStyle: Data {
    get throws { try data("base.css", in: ["Assets"], of: .module) }
  }

  /// A file in one of some folders.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - folders: Where to look, one after the other.
  ///   - bundle: The program's own.
  public static func data(_ name: String, in folders: [String], of bundle: Bundle) throws -> Data {
    for folder in folders {
      let url = bundle.bundleURL.appending(path: folder).appending(path: name)
      if let data = try? Data(contentsOf: url) { return data }
    }
    throw Missing(name: name)
  }
}
