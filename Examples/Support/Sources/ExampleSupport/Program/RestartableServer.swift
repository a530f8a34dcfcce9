public import Foundation
public import LarderTesting
internal import Synchronization

/// A server that can be stopped, and started again at the same address.
public final class RestartableServer: Sendable {
  private struct State {
    var server: LoopbackServer?
    var port: UInt16 = 0
  }

  private let path: String
  private let state = Mutex(State())

  /// Makes one that does not serve yet.
  ///
  /// - Parameter path: The path that it answers.
  public init(_ path: String) {
    self.path = path
  }

  /// The address of what it serves, once it has been started.
  public var url: URL? {
    state.withLock { state in
      state.port == 0 ? nil : URL(string: "http://127.0.0.1:\(state.port)\(path)")
    }
  }

  /// Whether it serves.
  public var isRunning: Bool { state.withLock { $0.server != nil } }

  /// Starts to serve, if it does not; again after a stop, at the same address.
  ///
  /// - Parameter answer: Makes the answers.
  public func start(answer: @escaping LoopbackServer.Handler) throws {
    try state.withLock { state in
      guard state.server == nil else { return }
      let server = try LoopbackServer(port: state.port)
      server.route(path, handler: answer)
      state.port = server.port
      state.server = server
    }
  }

  /// Stops to serve: whoever asks is refused. It waits for the answers that are being made.
  public func stop() {
    let server = state.withLock { state in
      defer { state.server = nil }
      return state.server
    }
    // Outside of the lock, which others need meanwhile.
    server?.stop()
  }
}
