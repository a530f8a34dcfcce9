import Foundation

/// Checks of file names in arguments.
enum ToolFile {
  /// Throws unless the path is that of a file.
  ///
  /// - Parameter what: The expected kind of file.
  /// - Throws: ``ToolError`` if nothing has the name, or a folder has.
  static func require(_ path: String, asA what: String) throws(ToolError) {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ToolError(description: "There is no file \(path).")
    }
    if isFolder { throw ToolError(description: "\(path) is a folder. Name \(what).") }
  }
}
