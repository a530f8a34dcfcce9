import Foundation

/// What is said of a name that somebody has given for a file.
enum ToolFile {
  /// - Parameter what: What the file should be.
  /// - Throws: ``ToolError`` where nothing has the name, or a folder.
  static func require(_ path: String, asA what: String) throws(ToolError) {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ToolError(description: "There is no file \(path).")
    }
    if isFolder { throw ToolError(description: "\(path) is a folder. Name \(what).") }
  }
}
