#if os(Linux)
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  /// A body that is decoded while it is read.
  ///
  /// The reader's task decodes it: the transport's thread serves all transfers, and data that is not read need not be decoded.
  /// libcurl does not decode it, since it accepts a body whose compressed data breaks off at the declared length: an incomplete
  /// response would be stored, and the records missing in it be deleted.
  final class DecodedBody: ResponseBodySource {
    private let encoded: any ResponseBodySource
    private let chain: Mutex<DecodingChain>
    /// The deadline by the transfers' clock. The transfers' own deadlines end with the data from the connection.
    private let deadline: Int64
    // Outside of the chain, whose lock is held while a piece is decoded: a cancellation and the metrics must not wait for it.
    private let isCancelled = Atomic(false)
    private let isBeingRead = Atomic(false)
    private let byteCount = Atomic<Int64>(0)

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - encoded: The body as received.
    ///   - decoding: The codings.
    ///   - limit: The highest number of decoded bytes.
    ///   - deadline: The end of the total deadline, by `clh_now`.
    init(_ encoded: any ResponseBodySource, _ decoding: ContentDecoding, limit: Int64, deadline: Int64) {
      self.encoded = encoded
      self.deadline = deadline
      chain = Mutex(
        DecodingChain(decoding.codings, unknown: decoding.unknown, limit: limit, mayBeEmpty: decoding.mayBeEmpty))
    }

    nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
      // A body is read by one task: another one would take the pieces that this one decodes.
      guard !isBeingRead.exchange(true, ordering: .acquiring) else {
        throw HTTPError(.cancelled, delivery: .responded)
      }
      defer { isBeingRead.store(false, ordering: .releasing) }
      do throws(HTTPError) {
        while true {
          switch try chain.withLock({ (chain) throws(HTTPError) in try chain.next { abortReason } }) {
          case .chunk(let piece):
            byteCount.add(Int64(piece.count), ordering: .relaxed)
            return piece
          case .end: return nil
          case .needsInput:
            let piece = try await encoded.next()
            chain.withLock { $0.feed(piece) }
          }
        }
      } catch {
        var failure = error
        failure.metrics = counted(failure.metrics ?? encoded.metrics)
        encoded.cancel()
        throw failure
      }
    }

    /// The error that ends the decoding early; nil if it may continue.
    private var abortReason: HTTPError? {
      if Task.isCancelled || isCancelled.load(ordering: .relaxed) { return HTTPError(.cancelled, delivery: .responded) }
      if deadline < .max, clh_now() > deadline { return HTTPError(.deadline(.total), delivery: .responded) }
      return nil
    }

    func cancel() {
      isCancelled.store(true, ordering: .relaxed)
      encoded.cancel()
    }

    var metrics: HTTPMetrics { counted(encoded.metrics) }

    private func counted(_ metrics: HTTPMetrics) -> HTTPMetrics {
      var metrics = metrics
      metrics.bodyBytes = byteCount.load(ordering: .relaxed)
      return metrics
    }
  }
#endif
