#if os(Linux)
  internal import Foundation

  /// The part of a body that waits to be sent, between the task that produces it and the thread that sends it.
  struct UploadBuffer {
    enum ReadResult {
      case bytes(Int)
      case waiting
      case complete
      case failed((any Error)?)
    }

    /// 128 KiB: the bytes by which the task may be ahead.
    private static let capacity = 128 << 10

    private var bytes = Data()
    private var offset = 0
    private(set) var isComplete = false
    private var failure: (any Error)?
    private var hasFailed = false
    private var isClosed = false
    /// Whether libcurl waits for a notification of more data.
    private(set) var isPaused = false
    /// Whether there is more data again, and the thread has not resumed libcurl yet.
    var isResumePending = false
    private var spaceWaiter: UnsafeContinuation<Bool, Never>?

    /// Sets the whole body at once.
    mutating func setContents(_ data: Data) {
      bytes = data
      isComplete = true
    }

    /// Moves bytes into libcurl's buffer. The second result is the task that waits for space, if there is space again.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> (ReadResult, UnsafeContinuation<Bool, Never>?) {
      if hasFailed { return (.failed(failure), nil) }
      let available = bytes.count - offset
      guard available > 0 else {
        if isComplete { return (.complete, nil) }
        isPaused = true
        return (.waiting, removeWaiter())
      }
      let count = min(available, buffer.count)
      let start = bytes.startIndex + offset
      bytes.copyBytes(to: buffer, from: start..<start + count)
      offset += count
      guard offset == bytes.count else { return (.bytes(count), nil) }
      bytes = Data()
      offset = 0
      return (.bytes(count), removeWaiter())
    }

    private mutating func removeWaiter() -> UnsafeContinuation<Bool, Never>? {
      defer { spaceWaiter = nil }
      return spaceWaiter
    }

    enum AppendResult {
      case appended(needsResume: Bool)
      case full, closed
    }

    mutating func append(_ part: Data) -> AppendResult {
      guard !isClosed else { return .closed }
      guard bytes.count - offset < Self.capacity else { return .full }
      if bytes.isEmpty { bytes = part } else { bytes.append(part) }
      return .appended(needsResume: resume())
    }

    /// Registers a task that waits for space; false if there is space already, or will be none.
    mutating func enqueueWaiter(_ waiter: UnsafeContinuation<Bool, Never>) -> Bool {
      guard !isClosed, bytes.count - offset >= Self.capacity else { return false }
      spaceWaiter = waiter
      return true
    }

    /// Marks the end of the body. True if libcurl must be resumed.
    mutating func finish(with error: (any Error)?, isFailure: Bool) -> Bool {
      isComplete = true
      hasFailed = isFailure
      failure = error
      return resume()
    }

    private mutating func resume() -> Bool {
      guard isPaused else { return false }
      isPaused = false
      isResumePending = true
      return true
    }

    /// Closes the buffer at the end of the transfer, and returns the task that waits for space.
    mutating func close() -> UnsafeContinuation<Bool, Never>? {
      isClosed = true
      bytes = Data()
      offset = 0
      return removeWaiter()
    }
  }
#endif
