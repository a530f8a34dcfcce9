import Foundation

/// What is said of a name that somebody has given for a file.
enum ToolFile {
  /// Whether there is a file of that name.
  ///
  /// - Parameter what: What the file should be.
  /// - Throws: ``ToolError`` where it is a folder.
  static func isThere(_ path: String, asA what: String) throws(ToolError) -> Bool {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
    if isFolder { throw ToolError(description: "\(path) is a folder. Name \(what).") }
    return true
  }
}
