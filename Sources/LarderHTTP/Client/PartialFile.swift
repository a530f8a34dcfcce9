import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file beside another, which takes that one's place when it is whole. It is removed where it never becomes that.
struct PartialFile: ~Copyable {
  private let path: String
  private let target: String
  private let descriptor: Int32
  private var isKept = false

  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/file(errno:)``.
  init(for target: URL) throws(HTTPError) {
    self.target = target.path(percentEncoded: false)
    let name = ".\(target.lastPathComponent).\(UInt32.random(in: 0 ... .max)).part"
    path = target.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
    // For its owner alone, as what is downloaded may be private.
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw PartialFile.failure(errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isKept { unlink(path) }
  }

  func append(_ data: Data) throws(HTTPError) {
    let failed: Int32 = data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count, let start = bytes.baseAddress {
        let count = write(descriptor, start + written, bytes.count - written)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        written += count
      }
      return 0
    }
    if failed != 0 { throw PartialFile.failure(failed) }
  }

  /// Puts the file in its place, when the disk has all of it.
  mutating func keep() throws(HTTPError) {
    guard fsync(descriptor) == 0, rename(path, target) == 0 else { throw PartialFile.failure(errno) }
    isKept = true
  }

  private static func failure(_ number: Int32) -> HTTPError {
    HTTPError(.file(errno: number), delivery: .answered)
  }
}
