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
  /// The same, where it is a pipe or a device: sent as it comes, without a length, and once.
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

/// Reads a pipe or a device. It waits for what writes there without holding a thread.
private final class PipeReader: @unchecked Sendable {
  // Safe: the task that feeds the transfer alone calls `next`, and awaits each call before the next one.
  private let path: String
  private var descriptor: Int32 = -1

  /// 64 KiB: what a pipe holds.
  private static let chunkSize = 64 << 10
  /// 5 ms: how often it looks whether there is something, where there was nothing.
  private static let pollInterval = Duration.milliseconds(5)

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func next() async throws -> Data? {
    if descriptor < 0 {
      descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure }
    }
    while true {
      // Of a pipe that nobody has opened for writing a read says that it has ended.
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
