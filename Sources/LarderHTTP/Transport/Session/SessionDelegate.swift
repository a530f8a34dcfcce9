import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a session tells of its tasks, passed on to the exchange of each: on Linux a task has no delegate of its own.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: SessionExchange]>([:])
  /// Whether any request was answered: from then on a connection may be open that was used before.
  private let isAnswered = Atomic(false)
  /// Whether two requests may have gone over one connection at once, by HTTP/2. To libcurl it is one that is used again
  /// then, though nothing was answered on it.
  private let mayShare = Atomic(false)

  private var mayHaveKept: Bool { isAnswered.load(ordering: .acquiring) || mayShare.load(ordering: .acquiring) }

  /// Before the task is resumed, and within the exchange's lock: so nothing here may call an exchange while it has this one.
  func tell(_ exchange: SessionExchange, of task: URLSessionTask) {
    let isSecure = task.originalRequest?.url?.scheme?.lowercased() == "https"
    exchanges.withLock { exchanges in
      if isSecure, !exchanges.isEmpty { mayShare.store(true, ordering: .releasing) }
      exchanges[task.taskIdentifier] = exchange
    }
  }

  private func exchange(of task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Some sessions do not tell of the response that they are told not to follow.
    isAnswered.store(true, ordering: .releasing)
    exchange(of: task)?.note(response)
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    isAnswered.store(true, ordering: .releasing)
    if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.note(response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.received(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.completed(error, mayHaveKept: mayHaveKept)
  }
}
