public import Foundation

/// Why a ``LoopbackServer`` could not be started.
public enum LoopbackServerError: Error, Hashable, Sendable {
  /// Another program listens on the port.
  case portInUse(UInt16)
  /// The port is reserved for programs with more rights (on most systems: those below 1024).
  case portNotPermitted(UInt16)
  /// The system refused the socket; the number is its `errno`.
  case system(errno: Int32)
  /// libmicrohttpd did not start: for want of threads or memory, or because certificate and key do not belong together.
  case notStarted
}

extension LoopbackServerError: CustomStringConvertible, LocalizedError {
  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) is in use by another program: choose another port, or 0 for any that is free."
    case .portNotPermitted(let port):
      "Port \(port) may not be used by this user: choose one from 1024 on, or 0 for any that is free."
    case .system(let errno):
      "The system refused a listening socket on 127.0.0.1: \(String(cString: strerror(errno))) (\(errno))."
    case .notStarted:
      "The server could not start: check that its certificate belongs to its key, if it has them; else close other "
        + "programs, or raise the limit of processes (ulimit -u)."
    }
  }

  public var errorDescription: String? { description }
}
