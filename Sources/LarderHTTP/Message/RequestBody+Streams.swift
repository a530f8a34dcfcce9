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

extension RequestBody {
  /// The same body; for a pipe or a device a stream, which has no length and can be sent once.
  var streamedIfSpecialFile: RequestBody {
    guard case .file(let url) = content, FileKind(path: url.systemPath, followsSymbolicLinks: true) == .special else {
      return self
    }
    var body = self
    body.isReplayable = false
    body.content = .stream(length: nil) {
      let reader = PipeReader(path: url.systemPath)
      return { try await reader.next() }
    }
    return body
  }
}

/// A reader of a pipe or a device. It waits for the writer without blocking a thread.
private final class PipeReader: @unchecked Sendable {
  // Safe: only the task that feeds the transfer calls `next`, and it awaits each call before the next one.
  private let path: String
  private var descriptor: Int32 = -1

  /// 64 KiB: the capacity of a pipe.
  private static let chunkSize = 64 << 10
  /// 5 ms: the interval of checks for data while there is none.
  private static let pollInterval = Duration.milliseconds(5)

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func next() async throws -> Data? {
    if descriptor < 0 {
      descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure }
    }
    while true {
      // Reading a pipe that no writer has opened yet would report its end.
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wanted, 1, 0) > 0 {
        var bytes = Data(count: Self.chunkSize)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { return bytes.prefix(count) }
        if count == 0 { return nil }
        guard errno == EINTR || errno == EAGAIN else { throw failure }
      }
      try await Task.sleep(for: Self.pollInterval)
    }
  }

  private var failure: any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
