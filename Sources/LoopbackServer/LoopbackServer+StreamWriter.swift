import Foundation
import Synchronization

extension LoopbackServer {
  /// The writer of a streamed response, which any thread may use.
  ///
  /// The writer buffers unread bytes, up to ``bufferLimit``. A client that falls further behind is disconnected, and sees a
  /// truncated
  /// response, since a client that reconnects gets recent data instead of old data. For larger responses, use
  /// ``writeWithBackPressure(_:)``, which waits for the client.
  public final class StreamWriter: Sendable {
    /// The most bytes that are buffered for a slow client: some thousand events, and few compared to a browser's own buffers.
    public static let bufferLimit = 4 << 20

    fileprivate struct State {
      var unsentBytes = Data()
      var isFinished = false
      var isAborted = false
      var isClosed = false
      /// Callers that wait for capacity.
      var senders: [UnsafeContinuation<Void, Never>] = []
      var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let signal: Signal

    init(signal: Signal) {
      self.signal = signal
    }

    /// Sends bytes.
    ///
    /// - Returns: Whether the stream is still open. `true` does not mean that the bytes have arrived.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>) -> Bool {
      let isOpen = state.withLock { state in
        guard !state.isClosed, !state.isFinished else { return false }
        state.unsentBytes.append(contentsOf: bytes)
        if state.unsentBytes.count > Self.bufferLimit {
          state.unsentBytes = Data()
          state.isFinished = true
          state.isAborted = true
          return false
        }
        return true
      }
      signal.raise()
      return isOpen
    }

    /// Sends bytes after the client has read most of the earlier ones: for responses of any size.
    ///
    /// ```swift
    /// .stream(type: "application/x-ndjson") { writer in
    ///   Task {
    ///     for line in lines { await writer.writeWithBackPressure(line.utf8) }
    ///     writer.finish()
    ///   }
    /// }
    /// ```
    ///
    /// - Parameter bytes: The bytes, at most half of ``bufferLimit``.
    /// - Returns: Whether the stream is still open.
    @discardableResult
    public func writeWithBackPressure(_ bytes: some Sequence<UInt8>) async -> Bool {
      while !state.withLock({ $0.hasCapacity }) {
        await withUnsafeContinuation { sender in
          let hasRoom = state.withLock { state in
            if state.hasCapacity { return true }
            state.senders.append(sender)
            return false
          }
          if hasRoom { sender.resume() }
        }
      }
      return write(bytes)
    }

    /// Sends text in UTF-8.
    ///
    /// - Returns: Whether the stream is still open.
    @discardableResult
    public func write(_ text: String) -> Bool {
      write(text.utf8)
    }

    /// Ends the response after all written bytes have been sent.
    public func finish() {
      let senders = state.withLock { state in
        state.isFinished = true
        return state.removeReadySenders()
      }
      for sender in senders { sender.resume() }
      signal.raise()
    }

    /// Whether the response has ended or the client has disconnected.
    public var isClosed: Bool {
      state.withLock { $0.isClosed || $0.isFinished }
    }

    /// Whether the response is finished, and some of its bytes have not been sent.
    var isFinishing: Bool {
      state.withLock { $0.isFinished && !$0.isClosed }
    }

    /// Calls a closure after the response has ended, for any reason; at once if it has already ended.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
      let isClosed = state.withLock { state in
        if !state.isClosed { state.onClose = action }
        return state.isClosed
      }
      if isClosed { action() }
    }

    /// The next action of the connection's thread.
    enum Next {
      case copied(Int)
      case wait
      case end
      /// Closes the connection so that the client detects the truncation.
      case abort
    }

    /// Moves buffered bytes into the connection's buffer.
    func next(into buffer: UnsafeMutableRawBufferPointer) -> Next {
      let (next, senders) = state.withLock { state in
        let next = state.next(into: buffer)
        return (next, state.removeReadySenders())
      }
      for sender in senders { sender.resume() }
      return next
    }

    /// Marks the connection as ended.
    func close() {
      let (action, senders) = state.withLock { state in
        state.isClosed = true
        state.unsentBytes = Data()
        defer { state.onClose = nil }
        return (state.onClose, state.removeReadySenders())
      }
      for sender in senders { sender.resume() }
      action?()
    }
  }
}

extension LoopbackServer.StreamWriter.State {
  /// Whether waiting callers can write, or no longer need to wait.
  fileprivate var hasCapacity: Bool {
    isClosed || isFinished || unsentBytes.count <= LoopbackServer.StreamWriter.bufferLimit / 2
  }

  /// Removes and returns the waiting callers if there is capacity. Each checks again: another caller may have used the capacity.
  fileprivate mutating func removeReadySenders() -> [UnsafeContinuation<Void, Never>] {
    guard hasCapacity else { return [] }
    defer { senders = [] }
    return senders
  }

  fileprivate mutating func next(
    into buffer: UnsafeMutableRawBufferPointer
  ) -> LoopbackServer.StreamWriter.Next {
    guard !unsentBytes.isEmpty else { return isAborted ? .abort : isFinished ? .end : .wait }
    let count = min(buffer.count, unsentBytes.count)
    unsentBytes.prefix(count).copyBytes(to: buffer)
    unsentBytes.removeFirst(count)
    // A slice keeps the whole storage alive, and copying the rest each time would take longer than sending it.
    if unsentBytes.startIndex > LoopbackServer.StreamWriter.bufferLimit / 4 { unsentBytes = Data(unsentBytes) }
    return .copied(count)
  }
}
