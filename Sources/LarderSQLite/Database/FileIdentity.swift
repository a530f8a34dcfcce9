#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The identity of the file at a path. The file is not opened to read it: closing it again would drop SQLite's locks.
package struct FileKey: Equatable {
  private let device: UInt64
  private let inode: UInt64

  /// Returns `nil` if there is no file.
  package init?(_ path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    self.init(info)
  }

  fileprivate init(_ info: stat) {
    device = UInt64(truncatingIfNeeded: info.st_dev)
    inode = UInt64(truncatingIfNeeded: info.st_ino)
  }
}

/// The attributes of a file that can be read without opening it.
struct FileAttributes: Equatable {
  let identity: FileKey
  let size: Int64
  private let modifiedSeconds: Int64
  private let modifiedNanoseconds: Int64

  /// Returns `nil` if there is no file.
  init?(_ path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    identity = FileKey(info)
    size = Int64(info.st_size)
    #if canImport(Darwin)
      let written = info.st_mtimespec
    #else
      let written = info.st_mtim
    #endif
    modifiedSeconds = Int64(written.tv_sec)
    modifiedNanoseconds = Int64(written.tv_nsec)
  }
}
