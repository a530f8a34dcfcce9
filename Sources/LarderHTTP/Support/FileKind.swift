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

/// The kind of the file at a path, as far as it matters for reading and writing.
enum FileKind: Equatable {
  /// A plain file, with its number of bytes.
  case regular(size: Int64)
  case directory
  case symbolicLink
  /// A pipe or a device: it can be read, has no length, and ends when its other end closes.
  case special
  case socket

  /// Creates the kind of the file at a path; nil if there is none, or it cannot be accessed; `errno` has the reason.
  ///
  /// - Parameter followsLinks: Whether a symbolic link stands for its target.
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
  /// The path in the system's form.
  var systemPath: String { path(percentEncoded: false) }

  /// The number of bytes of a file, after following symbolic links; nil if only reading the file shows it.
  var fileLength: Int64? {
    guard case .regular(let size)? = FileKind(path: systemPath, followsSymbolicLinks: true) else { return nil }
    // The system's own files (`/proc`) report a size of zero, but have contents.
    return size > 0 || isEmptyFile ? size : nil
  }

  private var isEmptyFile: Bool {
    let descriptor = open(systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) <= 0
  }

  /// Whether there is a readable file. Its later state, while it is sent, is unknown.
  var canBeSent: Bool {
    switch FileKind(path: systemPath, followsSymbolicLinks: true) {
    case .regular, .special: access(systemPath, R_OK) == 0
    case .directory, .socket, .symbolicLink, nil: false
    }
  }
}
