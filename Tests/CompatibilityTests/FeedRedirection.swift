import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers requests for the public feed, whose address the printed code has in it, with an origin's document.
final class FeedRedirection: URLProtocol {
  private static let host = "earthquake.usgs.gov"
  private static let target = Mutex<URL?>(nil)

  static func begin(to url: URL) {
    target.withLock { $0 = url }
    _ = URLProtocol.registerClass(FeedRedirection.self)
  }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == host }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = Self.target.withLock({ $0 }) else { return }
    let session = URLSession(configuration: .ephemeral)
    // The loading system keeps this object to one task and calls it from one place at a time.
    nonisolated(unsafe) let loading = self
    session.dataTask(with: url) { data, response, error in
      let client = loading.client
      if let response { client?.urlProtocol(loading, didReceive: response, cacheStoragePolicy: .notAllowed) }
      if let data { client?.urlProtocol(loading, didLoad: data) }
      if let error {
        client?.urlProtocol(loading, didFailWithError: error)
      } else {
        client?.urlProtocolDidFinishLoading(loading)
      }
      session.finishTasksAndInvalidate()
    }.resume()
  }

  override func stopLoading() {}
}
