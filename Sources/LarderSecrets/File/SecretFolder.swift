import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file descriptor, closed at the end of its lifetime.
struct FileDescriptor: ~Copyable {
  let number: Int32

  deinit { close(number) }
}

/// The folder of a store's file, held open: all operations affect the same folder, even after a rename.
struct SecretFolder: ~Copyable {
  let descriptor: FileDescriptor
  let name: String
  /// The path for messages.
  let filePath: String
  let folderPath: String

  init(of file: URL) throws(SecretError) {
    filePath = file.path(percentEncoded: false)
    name = file.lastPathComponent
    folderPath = file.deletingLastPathComponent().path(percentEncoded: false)
    let number = open(folderPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .system(.open, file: folderPath, errno: errno) }
    descriptor = FileDescriptor(number: number)
  }

  func failure(_ call: SecretError.SystemOperation, _ number: Int32 = errno) -> SecretError {
    .system(call, file: filePath, errno: number)
  }

  /// Reads the file. Returns `nil` if it does not exist.
  ///
  /// - Parameter checks: Whether a file that other users could have accessed is rejected.
  func read(limit: Int, checksPermissions checks: Bool = true) throws(SecretError) -> [UInt8]? {
    // Non-blocking, since opening a pipe of that name would wait.
    let number = openat(descriptor.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw .insecureFile(file: filePath, .symbolicLink) }
      throw failure(.open)
    }
    let file = FileDescriptor(number: number)
    let size = try validate(file, path: filePath, strictly: checks)
    guard size <= limit else { throw .tooLarge(file: filePath, limit: limit) }
    // One more byte, to detect whether the file grows.
    var bytes = [UInt8](repeating: 0, count: size + 1)
    var count = 0
    while count < bytes.count {
      let result = bytes.withUnsafeMutableBytes { bytes in
        // No slice: that would copy the array, and the copy would not be wiped.
        bytes.baseAddress.map { systemRead(file.number, $0 + count, bytes.count - count) } ?? 0
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw failure(.read) }
      if result == 0 { break }
      count += result
    }
    guard count <= size else { throw .tooLarge(file: filePath, limit: size) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Whether a file of the name exists; true also if that is unknown.
  var fileExists: Bool {
    var status = stat()
    return fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  /// Rejects a file that other users could have accessed, and returns its size.
  func validate(_ file: borrowing FileDescriptor, path: String, strictly: Bool = true) throws(SecretError) -> Int {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw failure(.open) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .insecureFile(file: path, .notRegular) }
    if strictly {
      guard status.st_uid == geteuid() else { throw .insecureFile(file: path, .owner(status.st_uid)) }
      guard status.st_mode & 0o077 == 0 else {
        throw .insecureFile(file: path, .permissions(Int(status.st_mode & 0o7777)))
      }
    }
    return Int(status.st_size)
  }
}

/// read(2), which the folder's own method hides.
private func systemRead(_ number: Int32, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(number, memory, count)
}
