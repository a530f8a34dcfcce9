import Foundation
import Synchronization

extension LoopbackServer {
  /// The writing end of a streamed response, which may be used from any thread.
  ///
  /// It keeps what the client has not read yet, up to ``bufferLimit``; a client that falls further behind is cut off,
  /// as one that reconnects does better than one that is served the past.
  public final class StreamWriter: Sendable {
    /// The most that waits for a slow client: some thousand events, and little beside a browser's own buffers.
    public static let bufferLimit = 4 << 20

    private struct State {
      var waiting = Data()
      var isFinished = false
      var isClosed = false
      var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let signal: Signal

    init(signal: Signal) {
      self.signal = signal
    }

    /// Sends bytes.
    ///
    /// - Returns: Whether the stream is still open. That bytes were taken does not mean that they arrived.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>) -> Bool {
      let isOpen = state.withLock { state in
        guard !state.isClosed, !state.isFinished else { return false }
        state.waiting.append(contentsOf: bytes)
        if state.waiting.count > Self.bufferLimit {
          state.waiting = Data()
          state.isFinished = true
          return false
        }
        return true
      }
      signal.raise()
      return isOpen
    }

    /// Sends text in UTF-8.
    @discardableResult
    public func write(_ text: String) -> Bool {
      write(text.utf8)
    }

    /// Ends the response after what was written.
    public func finish() {
      state.withLock { $0.isFinished = true }
      signal.raise()
    }

    /// Whether the response has ended or the client has gone.
    public var isClosed: Bool {
      state.withLock { $0.isClosed || $0.isFinished }
    }

    /// Whether it was finished, and the client has not been sent all of it.
    var isFinishing: Bool {
      state.withLock { $0.isFinished && !$0.isClosed }
    }

    /// Calls a closure once the response has ended, for whatever reason; at once if it has already.
    public func onClose(_ action: @escaping @Sendable () -> Void) {
      let isClosed = state.withLock { state in
        if !state.isClosed { state.onClose = action }
        return state.isClosed
      }
      if isClosed { action() }
    }

    /// What the connection's thread is to do next.
    enum Next {
      case copied(Int)
      case wait
      case end
    }

    /// Moves waiting bytes into the connection's buffer.
    func next(into buffer: UnsafeMutableRawBufferPointer) -> Next {
      state.withLock { state in
        guard !state.waiting.isEmpty else { return state.isFinished ? .end : .wait }
        let count = min(buffer.count, state.waiting.count)
        state.waiting.prefix(count).copyBytes(to: buffer)
        // A slice would keep the whole storage alive, and its indices would not begin at 0.
        state.waiting = Data(state.waiting.dropFirst(count))
        return .copied(count)
      }
    }

    /// The connection has ended.
    func close() {
      let action = state.withLock { state in
        state.isClosed = true
        state.waiting = Data()
        defer { state.onClose = nil }
        return state.onClose
      }
      action?()
    }
  }
}
