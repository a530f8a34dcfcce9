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

/// A database that nobody can be writing: a file without a log on a file system that is mounted for reading only, as in the
/// image of a container, or on a disc.
///
/// Whoever reads a database with a write-ahead log makes files beside it, which is impossible there. SQLite does without
/// where it is told that the file is immutable, and then looks for no change. Somebody else may have the same file system
/// mounted for writing; that is looked for here.
struct ImmutableFile {
  /// What SQLite is to open; see "immutable" in SQLite's documentation of URI file names.
  let uri: String

  private let path: String
  private let stamp: Stamp

  /// nil where the file is none such.
  ///
  /// - Throws: Where a log lies beside it that nobody has open: it belongs to the database, and cannot be read there.
  init?(_ path: String) throws {
    var system = statvfs()
    guard statvfs(path, &system) == 0, UInt(system.f_flag) & UInt(ST_RDONLY) != 0, let real = realpath(path, nil) else {
      return nil
    }
    defer { free(real) }
    self.path = String(cString: real)
    guard let state = Stamp(self.path) else { return nil }
    if let log = ImmutableFile.log(self.path) {
      // Whoever writes it elsewhere has made the log's index, and it can be read by that.
      if access(self.path + "-shm", R_OK) == 0 { return nil }
      throw SQLiteError.refused(
        .unreadableLog, code: SQLITE_CANTOPEN, "\(log) belongs to it, and cannot be read where nothing can be written",
        context: "opening a database")
    }
    self.stamp = state
    uri = "file:\(ImmutableFile.escaped(self.path))?immutable=1"
  }

  /// Whether it is as it was, as far as its file system tells.
  var isUnchanged: Bool { Stamp(path) == stamp && ImmutableFile.log(path) == nil }

  /// The log, or the journal, which holds what belongs to the database; nil where there is none.
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
