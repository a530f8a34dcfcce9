internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What stands at a path, by those of its facts that matter for reading and writing it.
enum FileKind: Equatable {
  /// A plain file of so many bytes.
  case regular(size: Int64)
  case directory
  case symbolicLink
  /// A pipe, a device: it can be read, has no length, and is at its end when its other end says so.
  case special
  case socket

  /// Nil where there is nothing, or it cannot be seen; `errno` says which.
  ///
  /// - Parameter followsLinks: Whether it is what a link leads to that is meant.
  init?(path: String, followsSymbolicLinks followsLinks: Bool) {
    var facts = stat()
    guard (followsLinks ? stat(path, &facts) : lstat(path, &facts)) == 0 else { return nil }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: self = .regular(size: Int64(facts.st_size))
    case S_IFDIR: self = .directory
    case S_IFLNK: self = .symbolicLink
    case S_IFSOCK: self = .socket
    default: self = .special
    }
  }
}

extension URL {
  /// The path as the system takes it.
  var systemPath: String { path(percentEncoded: false) }

  /// How many bytes a file has, that of a link's being what it leads to; nil where that is known only when it was read.
  var fileLength: Int64? {
    guard case .regular(let size)? = FileKind(path: systemPath, followsSymbolicLinks: true) else { return nil }
    // Files of the system's (`/proc`) have no size, and contents all the same.
    return size > 0 || isEmptyFile ? size : nil
  }

  private var isEmptyFile: Bool {
    let descriptor = open(systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) <= 0
  }

  /// Whether there is a file that may be read. What becomes of it later, while it is sent, is known only then.
  var canBeSent: Bool {
    switch FileKind(path: systemPath, followsSymbolicLinks: true) {
    case .regular, .special: access(systemPath, R_OK) == 0
    case .directory, .socket, .symbolicLink, nil: false
    }
  }
}
