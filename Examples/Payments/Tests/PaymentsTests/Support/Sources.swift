import Foundation
import Synchronization

/// The program's own text.
enum Sources {
  static func all() throws -> [(name: String, text: String)] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try ["Sources", "Bank"].flatMap { folder -> [(name: String, text: String)] in
      let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
      return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.map { file in
        (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
      }
    }
  }
}

/// Raised once, by anybody.
final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
