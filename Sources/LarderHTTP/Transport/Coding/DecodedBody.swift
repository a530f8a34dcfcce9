#if os(Linux)
  internal import CLarderHTTP
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
    /// By the clock of the transfers, whose own deadlines end with what comes over the connection.
    private let deadline: Int64
    // Apart from the chain, which is held for as long as it takes to make a piece: whoever cancels or counts does not wait.
    private let isCancelled = Atomic(false)
    private let isBeingRead = Atomic(false)
    private let byteCount = Atomic<Int64>(0)

    /// - Parameters:
    ///   - limit: How many bytes may become of it.
    ///   - deadline: When all of it has to be done, by `clh_now`.
    init(_ encoded: any ResponseBodySource, _ decoding: ContentDecoding, limit: Int64, deadline: Int64) {
      self.encoded = encoded
      self.deadline = deadline
      chain = Mutex(
        DecodingChain(decoding.codings, unknown: decoding.unknown, limit: limit, mayBeEmpty: decoding.mayBeEmpty))
    }

    nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
      // A body is read by one task: another one would take away what this one is given to decode.
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

    /// Why no more is to be made of what has come.
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
