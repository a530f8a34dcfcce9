internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A database that no process can write: a file without a log on a file system that is mounted read-only, such as a
/// container image or an optical disc.
///
/// Reading a database with a write-ahead log creates files next to it, which is impossible there. If SQLite opens the
/// file as immutable, it needs no such files and does not check for changes. The same file system may be mounted for
/// writing elsewhere; this type checks for changes itself.
struct ImmutableFile {
  /// The URI that SQLite opens; see "immutable" in SQLite's documentation of URI file names.
  let uri: String

  private let path: String
  private let stamp: Stamp

  /// Returns `nil` if the file is not such a database.
  ///
  /// - Throws: ``SQLiteError`` if there is a log next to the file and no process has it open: the log belongs to the
  ///   database, and cannot be read there.
  init?(_ path: String) throws {
    var system = statvfs()
    guard statvfs(path, &system) == 0, UInt(system.f_flag) & UInt(ST_RDONLY) != 0, let real = realpath(path, nil) else {
      return nil
    }
    defer { free(real) }
    self.path = String(cString: real)
    guard let state = Stamp(self.path) else { return nil }
    if let log = ImmutableFile.log(self.path) {
      // A process that writes the file elsewhere has created the log's index, and the log can be read with it.
      if access(self.path + "-shm", R_OK) == 0 { return nil }
      throw SQLiteError.refused(
        .unreadableLog, code: SQLITE_CANTOPEN, "\(log) belongs to it, and cannot be read where nothing can be written",
        context: "opening a database")
    }
    self.stamp = state
    uri = "file:\(ImmutableFile.escaped(self.path))?immutable=1"
  }

  /// Whether the file is unchanged, as far as its file system reports.
  var isUnchanged: Bool { Stamp(path) == stamp && ImmutableFile.log(path) == nil }

  /// Returns the path of the log or the journal, which holds a part of the database; `nil` if there is none.
  private static func log(_ path: String) -> String? {
    ["-wal", "-journal"].map { path + $0 }.first { log in
      var info = stat()
      return stat(log, &info) == 0 && info.st_size > 0
    }
  }

  private static func escaped(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/-._~".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      result += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
    return result
  }

  private struct Stamp: Equatable {
    private let numbers: [Int64]

    init?(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      #if canImport(Darwin)
        let (written, changed) = (info.st_mtimespec, info.st_ctimespec)
      #else
        let (written, changed) = (info.st_mtim, info.st_ctim)
      #endif
      numbers = [
        Int64(truncatingIfNeeded: info.st_dev), Int64(truncatingIfNeeded: info.st_ino), Int64(info.st_size),
        Int64(written.tv_sec), Int64(written.tv_nsec), Int64(changed.tv_sec), Int64(changed.tv_nsec),
      ]
    }
  }
}
