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

  static func say(_ report: SyncReport, about what: String) {
    switch report {
    case .synced(let counts, let fetched, _): say("\(what): \(fetched.formattedForPeople) fetched, \(counts)")
    case .failed, .notStored: say("\(what):")
    }
    if let trouble = report.trouble { say("  \(trouble)") }
  }
}

extension SyncReport {
  /// Whether the round found nothing new and nothing wrong.
  var isQuiet: Bool {
    guard case .synced(let counts, _, let rejected) = self else { return false }
    return counts.inserted == 0 && counts.updated == 0 && rejected.isEmpty
  }

  /// A line about the round.
  var words: String {
    switch self {
    case .synced(let counts, let fetched, _):
      "Synced: \(fetched.formattedForPeople) fetched, \(counts)" + (trouble.map { "\n  \($0)" } ?? "")
    case .failed, .notStored: trouble ?? ""
    }
  }
}
