public import Foundation

/// Where programs keep their stores.
public enum StorePlaces {
  /// The usual place: `NAME/NAME.store` in the user's data folder.
  public static func usual(of program: String) -> URL {
    let environment = ProcessInfo.processInfo.environment
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share")
    return data.appending(path: "\(program)/\(program).store")
  }

  /// A new place, for a run that begins with nothing.
  public static func temporary(of program: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(program)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "\(program).store")
  }
}

/// A folder for a test, removed when the last reference goes.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes one.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "larder-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
