import LarderSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of a test's own, removed with everything in it.
final class TemporaryFolder {
  let path: String

  init() {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/larder-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? root
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func file(_ name: String = "test.store") -> String { "\(path)/\(name)" }

  func bytes(_ name: String = "test.store") -> [UInt8] {
    guard let file = fopen(file(name), "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  func write(_ bytes: [UInt8], to name: String = "test.store") {
    guard let file = fopen(file(name), "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
  }

  func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(file(name), &status) == 0 ? status.st_mode & 0o777 : 0
  }
}

extension TemporaryFolder {
  /// The database in the folder's file, with an empty table `t` of integers `a` where it was new.
  func database(_ settings: DatabaseSettings = DatabaseSettings()) throws -> Database {
    let database = try Database(path: file(), settings: settings)
    try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER) STRICT") }
    return database
  }
}
