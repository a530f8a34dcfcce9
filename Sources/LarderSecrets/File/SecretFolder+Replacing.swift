import CLarderSecrets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension SecretFolder {
  private static let randomDigits = 16

  /// Replaces the contents of the file: readers see the former contents or the new ones, complete, also after a power cut.
  ///
  /// The caller holds the lock. Throws ``SecretError/busy(file:)`` if the companion has been replaced meanwhile.
  func replace(with bytes: [UInt8], under lock: borrowing FileDescriptor) throws(SecretError) {
    removeLeftovers()
    var random: UInt64 = 0
    guard cls_random(&random, MemoryLayout<UInt64>.size) == 1 else { throw .noRandomness }
    let digits = String(random, radix: 16)
    let temporary = ".\(name).\(String(repeating: "0", count: Self.randomDigits - digits.count))\(digits).tmp"
    do throws(SecretError) {
      try write(bytes, to: temporary)
      // Writing and flushing take most of the time. Meanwhile the holder of a replaced lock may have read the file.
      guard isCurrentLock(lock) else { throw SecretError.busy(file: filePath) }
      guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else { throw failure(.rename) }
    } catch {
      unlinkat(descriptor.number, temporary, 0)
      throw error
    }
    // Otherwise the name could be that of the former file after a power cut. This error is separate, since the new file exists.
    guard fsync(descriptor.number) == 0 else { throw failure(.flushFolder) }
  }

  /// Writes a temporary file that only this user can read, from its creation on. A later change of its mode would be too late.
  private func write(_ bytes: [UInt8], to temporary: String) throws(SecretError) {
    let number = openat(descriptor.number, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw failure(.write) }
    let file = FileDescriptor(number: number)
    var count = 0
    while count < bytes.count {
      let result = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { systemWrite(file.number, $0 + count, bytes.count - count) } ?? 0
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw failure(.write) }
      count += result
    }
    guard fsync(file.number) == 0 else { throw failure(.flush) }
  }

  /// Removes temporary files of writers that were killed. Each writer holds the lock, so no other writer is active.
  private func removeLeftovers() {
    let copy = openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return }
    guard let listing = fdopendir(copy) else {
      close(copy)
      return
    }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let candidate = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard isLeftover(candidate) else { continue }
      var status = stat()
      guard fstatat(descriptor.number, candidate, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
      else { continue }
      unlinkat(descriptor.number, candidate, 0)
    }
  }

  /// Returns whether a file is a temporary file of this one. A temporary file of "a.b" is none of "a".
  private func isLeftover(_ candidate: String) -> Bool {
    let prefix = ".\(name)."
    let suffix = ".tmp"
    guard candidate.hasPrefix(prefix), candidate.hasSuffix(suffix) else { return false }
    let middle = candidate.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    return middle.count == Self.randomDigits
      && middle.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}

/// write(2), which the folder's own method hides.
private func systemWrite(_ number: Int32, _ memory: UnsafeRawPointer, _ count: Int) -> Int {
  write(number, memory, count)
}
