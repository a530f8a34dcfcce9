import Foundation

/// What the program tells the person who started it.
enum Terminal {
  /// Progress, on the error stream: what a script reads stays alone on the other.
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// A result, for scripts.
  static func put(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

extension SyncReport {
  /// A line about the round.
  var words: String {
    switch self {
    case .synced(let counts, let fetched, _):
      "\(fetched.formattedForPeople) fetched, \(counts)" + (trouble.map { "\n  \($0)" } ?? "")
    case .failed, .notStored: trouble ?? ""
    }
  }
}
