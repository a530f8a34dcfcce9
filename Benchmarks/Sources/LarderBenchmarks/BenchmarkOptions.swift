import CLimits
import Foundation

/// What a writing and a reading connection run with, as SQLite reports it for the connections themselves.
struct BenchmarkOptions {
  var writer: limit_settings
  var reader: limit_settings

  init(writer: limit_settings, reader: limit_settings) {
    self.writer = writer
    self.reader = reader
  }

  /// Reads them from the library's open connections to a file.
  init(libraryConnectionsTo url: URL) throws {
    let most = 32
    var found = [limit_settings](repeating: limit_settings(), count: most)
    let count = Int(limit_settings_of_file(url.path, &found, Int32(most)))
    let open = found.prefix(count)
    guard let writer = open.first(where: { !$0.reads_only }) else {
      throw LimitError(description: "The library has no writing connection to \(url.path) open.")
    }
    self.writer = writer
    reader = open.first { $0.reads_only } ?? writer
  }

  /// Rows of a table: name, value of the writing connection, of the reading one.
  var rows: [(name: String, writer: String, reader: String)] {
    zip(Self.values(of: writer), Self.values(of: reader)).map { ($0.name, $0.value, $1.value) }
  }

  private static func values(of settings: limit_settings) -> [(name: String, value: String)] {
    withUnsafeBytes(of: settings.settings) { bytes in
      bytes.bindMemory(to: limit_setting.self).prefix(Int(settings.count)).map { setting in
        let value = withUnsafeBytes(of: setting.value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return (String(cString: setting.name), value)
      }
    }
  }
}
