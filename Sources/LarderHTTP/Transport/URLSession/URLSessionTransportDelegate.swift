import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a session tells of its tasks, passed on to the exchange of each: on Linux a task has no delegate of its own.
final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: URLSessionExchange]>([:])
  /// Whether any request was answered: from then on a connection may be open that was used before.
  private let hasReceivedResponse = Atomic(false)
  /// Whether two requests may have gone over one connection at once, by HTTP/2. To libcurl it is one that is used again
  /// then, though nothing was answered on it.
  private let mayShareConnection = Atomic(false)

  private var mayReuseConnection: Bool {
    hasReceivedResponse.load(ordering: .acquiring) || mayShareConnection.load(ordering: .acquiring)
  }

  /// Before the task is resumed, and within the exchange's lock: so nothing here may call an exchange while it has this one.
  func register(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    let isSecure = task.originalRequest?.url?.scheme?.lowercased() == "https"
    exchanges.withLock { exchanges in
      if isSecure, !exchanges.isEmpty { mayShareConnection.store(true, ordering: .releasing) }
      exchanges[task.taskIdentifier] = exchange
    }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Some sessions do not tell of the response that they are told not to follow.
    hasReceivedResponse.store(true, ordering: .releasing)
    exchange(of: task)?.receiveHead(response)
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.reportUpload(totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    hasReceivedResponse.store(true, ordering: .releasing)
    if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receiveHead(response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(
      error, mayHaveReusedConnection: mayReuseConnection)
  }
}
