import ExampleSupport
import Foundation

/// The files that come with the program.
enum Resources {
  /// A file of `Data`, or one of the page's.
  static func data(_ name: String) throws -> Data {
    try Assets.data(name, in: ["Data", "Assets"], of: .module)
  }
}
