package import Foundation

/// The default location of stores without a URL: a folder of the program, in the user's data folder.
package struct DefaultStoreLocation {
  /// The folder that contains the program's stores.
  package let folder: URL

  /// The extension of a store's file.
  package static let fileExtension = "store"
  /// The folder's name for a program whose own name is unknown.
  static let fallbackProgramName = "SwiftData"

  /// - Parameters:
  ///   - environment: The process's environment: `XDG_DATA_HOME` is used if it is an absolute path, as the XDG base directory
  ///     specification requires; then `HOME`.
  ///   - home: The user's home folder, for an environment without `HOME`.
  ///   - program: The path or name with which the program was started.
  package init(environment: [String: String], home: URL, program: String?) {
    let data: URL
    if let given = environment["XDG_DATA_HOME"], given.hasPrefix("/") {
      data = URL(filePath: given, directoryHint: .isDirectory)
    } else {
      let home =
        environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil } ?? home
      data =
        home
        .appending(path: ".local", directoryHint: .isDirectory).appending(path: "share", directoryHint: .isDirectory)
    }
    let name = program?.split(separator: "/").last.map(String.init) ?? ""
    let usable = name.isEmpty || name == "." || name == ".." ? Self.fallbackProgramName : name
    folder = data.appending(path: usable, directoryHint: .isDirectory)
  }

  /// The location for this process, in its current environment.
  package static var current: DefaultStoreLocation {
    DefaultStoreLocation(
      environment: ProcessInfo.processInfo.environment, home: FileManager.default.homeDirectoryForCurrentUser,
      program: CommandLine.arguments.first)
  }

  /// Returns the file of the configuration with the specified name.
  package func file(for name: String) -> URL {
    folder.appending(component: Self.fileName(for: name), directoryHint: .notDirectory)
  }

  static func fileName(for name: String) -> String { "\(name).\(fileExtension)" }
}
