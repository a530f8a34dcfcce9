#if os(Linux)
  internal import Foundation
  internal import Synchronization

  /// A body without the codings that it came with.
  ///
  /// It is decoded by its reader's task: the transport's thread serves all, and of what nobody reads nothing is made. Not by
  /// libcurl, which takes a body for whole whose compression breaks off where its length says that it ends: less would be
  /// stored than there is, and what is not in it be removed.
  final class DecodedBody: ResponseBodySource {
    private let encoded: any ResponseBodySource
    private let chain: Mutex<DecodingChain>

    /// - Parameters:
    ///   - codings: As ``DecodingChain`` takes them.
    ///   - limit: How many bytes may become of it.
    init(_ encoded: any ResponseBodySource, codings: [ContentCoding]?, limit: Int64) {
      self.encoded = encoded
      chain = Mutex(DecodingChain(codings, limit: limit))
    }

    nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
      do throws(HTTPError) {
        while true {
          switch try chain.withLock({ (chain) throws(HTTPError) in try chain.next() }) {
          case .piece(let piece): return piece
          case .end: return nil
          case .wantsMore:
            let piece = try await encoded.next()
            chain.withLock { $0.feed(piece) }
          }
        }
      } catch {
        encoded.cancel()
        var failure = error
        failure.metrics = failure.metrics ?? metrics
        throw failure
      }
    }

    func cancel() { encoded.cancel() }

    var metrics: HTTPMetrics {
      var metrics = encoded.metrics
      metrics.bodyBytes = chain.withLock(\.byteCount)
      return metrics
    }
  }
#endif
