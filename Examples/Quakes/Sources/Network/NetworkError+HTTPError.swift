import LarderHTTP

extension NetworkError {
  /// The sentence for a failure of Larder's client: the one that the service on URLSession has for the same.
  init(_ error: HTTPError, deadlines: Deadlines) {
    self =
      switch error.kind {
      case .unacceptableStatus, .rateLimited, .unauthorized: .status(error.status ?? 0)
      case .noContent: .notTheFeed(type: "an empty body")
      // It was to be decoded, so it calls itself JSON.
      case .notJSON where error.underlying is DecodingError: .notTheFeed(type: "other JSON, or damaged")
      case .undecodable: .notTheFeed(type: "other JSON, or damaged")
      case .notJSON(let type): .notTheFeed(type: type ?? "of no declared type")
      case .deadline(let phase): .timedOut(seconds: deadlines.seconds(of: phase))
      case .notSent(.connectionRefused), .notSent(.nameNotResolved), .notSent(.unreachable): .unreachable
      case .maybeSent(.closed), .maybeSent(.malformed), .interrupted: .brokeOff
      // Too large, or redirected in circles: somebody is there, and it is not the feed.
      case _ where error.delivery == .responded: .invalidResponse
      default: .connection(error.kind.summary)
      }
  }
}

extension Deadlines {
  fileprivate func seconds(of phase: HTTPError.DeadlinePhase) -> Int {
    let duration =
      switch phase {
      case .connect: connect
      case .firstByte: firstByte
      case .idle: idle
      case .total: total
      }
    return Int(duration?.components.seconds ?? 0)
  }
}
