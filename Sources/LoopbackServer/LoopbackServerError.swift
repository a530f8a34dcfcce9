public import Foundation

/// An error that prevents a ``LoopbackServer`` from starting.
public enum LoopbackServerError: Error, Hashable, Sendable {
  /// Another program listens on the port.
  case portInUse(UInt16)
  /// The port requires more privileges (on most systems: ports below 1024).
  case portNotPermitted(UInt16)
  /// The system rejected the socket; the number is its `errno`.
  case system(errno: Int32)
  /// libmicrohttpd did not start: for lack of threads or memory, or because certificate and key do not match.
  case notStarted
}

extension LoopbackServerError: CustomStringConvertible, LocalizedError {
  /// A sentence with the reason and advice.
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
