import Foundation

extension ModelConfiguration {
  /// The maximum length of a file's name on the file systems of Linux and macOS, in bytes.
  static let maximumFileNameLength = 255
  /// The longest suffix that SQLite adds to a store's name for its companion files.
  static let longestCompanionSuffix = "-journal"

  /// Checks that the configuration names a file that can exist. Containers do this when they open.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`,
  ///   `SwiftDataError.configurationFileNameTooLong`, or `SwiftDataError.loadIssueModelContainer` for a URL that is no
  ///   file URL.
  public func validate() throws {
    if isStoredInMemoryOnly { return }
    guard url.isFileURL else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "The configuration \"\(name)\" has the URL \(url.absoluteString). A store is a file on this machine: "
          + "use a URL made by URL(filePath:).")
    }
    if hasFileNameFromName, !Self.isFileName(name) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.explained(
        "The configuration's name \"\(name)\" can't be that of a file. Leave out \"/\" and control characters, and "
          + "don't begin with a dot; or give the file's place with url:.")
    }
    let fileName = hasFileNameFromName ? DefaultStoreLocation.fileName(for: name) : url.lastPathComponent
    if !hasFileNameFromName, url.hasDirectoryPath || !Self.isFileName(fileName, allowsDot: true) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.explained(
        "The configuration's URL \(url.absoluteString) doesn't end in a file's name. Name the store's file, not its "
          + "folder.")
    }
    let longest = Self.maximumFileNameLength - Self.longestCompanionSuffix.utf8.count
    if fileName.utf8.count > longest {
      throw SwiftDataError.configurationFileNameTooLong.explained(
        "The file name \"\(fileName.prefix(32))…\" has \(fileName.utf8.count) bytes; a store's may have \(longest), "
          + "since SQLite adds to it for the files beside it. Choose a shorter name.")
    }
  }

  private static func isFileName(_ name: String, allowsDot: Bool = false) -> Bool {
    guard !name.isEmpty, name != ".", name != ".." else { return false }
    if !allowsDot, name.hasPrefix(".") { return false }
    return name.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
  }
}
