#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that must outlast a power cut.
enum StableStorage {
  struct Failure: Error {
    let reason: String
  }

  /// Has a file take another's name, and that name be on the disk.
  ///
  /// - Throws: ``Failure``; the other file is then as it was, unless only its folder could not be written to the disk.
  static func replace(_ path: String, by new: String) throws {
    guard rename(new, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    // A folder that may not be read cannot be written to the disk by itself; the file is.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    fsync(descriptor)
  }
}
