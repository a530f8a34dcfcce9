import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a session, which passes each task's events to its exchange: on Linux a task has no delegate of its own.
final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: URLSessionExchange]>([:])
  /// Whether any request has received a response: from then on a connection may be reused.
  private let hasReceivedResponse = Atomic(false)
  /// Whether two requests may have shared a connection, by HTTP/2. libcurl then treats it as a reused one, even before its first
  /// response.
  private let mayShareConnection = Atomic(false)

  private var mayReuseConnection: Bool {
    hasReceivedResponse.load(ordering: .acquiring) || mayShareConnection.load(ordering: .acquiring)
  }

  /// Registers an exchange. Called before the task is resumed, and within the exchange's lock: code under this lock must not call
  /// an exchange.
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
    // Some sessions do not report the response of a redirect that is not followed.
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
