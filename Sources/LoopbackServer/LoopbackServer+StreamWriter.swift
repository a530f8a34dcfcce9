import Foundation
import Synchronization

extension LoopbackServer {
  /// The writing end of a streamed response, which may be used from any thread.
  ///
  /// It keeps what the client has not read yet, up to ``bufferLimit``; a client that falls further behind is cut off,
  /// as one that reconnects does better than one that is served the past. It sees a response that breaks off. What is
  /// larger is sent by ``writeWithBackPressure(_:)``, which waits for the client.
  public final class StreamWriter: Sendable {
    /// The most that waits for a slow client: some thousand events, and little beside a browser's own buffers.
    public static let bufferLimit = 4 << 20

    fileprivate struct State {
      var unsentBytes = Data()
      var isFinished = false
      var isAborted = false
      var isClosed = false
      /// Who wait for room.
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
    /// - Returns: Whether the stream is still open. That bytes were taken does not mean that they arrived.
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

    /// Sends bytes once the client has read most of what was sent before: for responses of any size.
    ///
    /// ```swift
    /// .stream(type: "application/x-ndjson") { writer in
    ///   Task {
    ///     for line in lines { await writer.writeWaiting(line.utf8) }
    ///     writer.finish()
    ///   }
    /// }
    /// ```
    ///
    /// - Parameter bytes: Half of ``bufferLimit`` at most.
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
    @discardableResult
    public func write(_ text: String) -> Bool {
      write(text.utf8)
    }

    /// Ends the response after what was written.
    public func finish() {
      let senders = state.withLock { state in
        state.isFinished = true
        return state.removeReadySenders()
      }
      for sender in senders { sender.resume() }
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
      /// The client is to see that something is missing.
      case abort
    }

    /// Moves waiting bytes into the connection's buffer.
    func next(into buffer: UnsafeMutableRawBufferPointer) -> Next {
      let (next, senders) = state.withLock { state in
        let next = state.next(into: buffer)
        return (next, state.removeReadySenders())
      }
      for sender in senders { sender.resume() }
      return next
    }

    /// The connection has ended.
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
  /// Whether somebody who waits may send, or need not wait any more.
  fileprivate var hasCapacity: Bool {
    isClosed || isFinished || unsentBytes.count <= LoopbackServer.StreamWriter.bufferLimit / 2
  }

  /// Those who need not wait any more, where there are any. Each looks again: another one may have taken the room.
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
    // A slice keeps the whole storage alive, and to copy the rest each time would take longer than to send it.
    if unsentBytes.startIndex > LoopbackServer.StreamWriter.bufferLimit / 4 { unsentBytes = Data(unsentBytes) }
    return .copied(count)
  }
}
