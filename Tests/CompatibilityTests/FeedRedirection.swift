import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers requests for the public feed, whose address the printed code has in it, with an origin's document.
final class FeedRedirection: URLProtocol, @unchecked Sendable {  // URLProtocol is the loading system's to guard
  private static let host = "earthquake.usgs.gov"
  private static let target = Mutex<URL?>(nil)

  static func begin(to url: URL) {
    target.withLock { $0 = url }
    URLProtocol.registerClass(FeedRedirection.self)
  }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.host() == host }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = Self.target.withLock({ $0 }) else { return }
    let session = URLSession(configuration: .ephemeral)
    session.dataTask(with: url) { [self] data, response, error in
      if let response { client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
      if let data { client?.urlProtocol(self, didLoad: data) }
      if let error { client?.urlProtocol(self, didFailWithError: error) } else { client?.urlProtocolDidFinishLoading(self) }
      session.finishTasksAndInvalidate()
    }.resume()
  }

  override func stopLoading() {}
}
