#if os(Linux)
  internal import CCurl
  internal import Foundation

  /// A decoder of all codings of a body, which starts with the one applied last.
  final class DecodingChain {
    enum Step {
      case chunk(Data)
      /// Another piece is needed, or the end of the encoded body.
      case needsInput
      case end
    }

    private let codings: [ContentCoding]?
    private let unknown: String?
    /// The decoders, created with the first data.
    private var decoders: [ContentDecoder] = []
    /// The bytes that each decoder has produced. Intermediate results count as well: with two codings, a server's kilobyte can
    /// become a terabyte in between.
    private var outputCounts: [Int64] = []
    private let limit: Int64
    private let mayBeEmpty: Bool
    /// The bytes fed since the last output.
    private var unproductiveByteCount = 0
    private var failure: HTTPError?
    private var hasInput = false
    private var hasReachedEnd = false

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - codings: The codings in the order in which they were applied; nil if they cannot be decoded, so that only an empty
    ///     body can be read.
    ///   - unknown: The unknown coding, if there is one.
    ///   - limit: The highest number of decoded bytes.
    ///   - mayBeEmpty: Whether an empty body is complete, as servers send it.
    init(_ codings: [ContentCoding]?, unknown: String? = nil, limit: Int64, mayBeEmpty: Bool = true) {
      self.codings = codings
      self.unknown = unknown
      self.limit = limit
      self.mayBeEmpty = mayBeEmpty
    }

    /// 1 MiB: more input without output is no real body, be it blocks without contents or data after the end.
    private static let maximumUnproductiveBytes = 1 << 20

    /// Adds the next piece of the encoded body, after the last one was used up; nil marks the end.
    func feed(_ piece: Data?) {
      guard let piece else {
        hasReachedEnd = true
        return
      }
      guard !piece.isEmpty else { return }
      if !hasInput { makeDecoders() }
      hasInput = true
      unproductiveByteCount += piece.count
      decoders.first?.feed(piece)
    }

    private func makeDecoders() {
      do throws(ContentDecoder.ContentDecodingError) {
        for coding in (codings ?? []).reversed() { decoders.append(try ContentDecoder(coding)) }
        outputCounts = Array(repeating: 0, count: decoders.count)
      } catch {
        failure = Self.error(of: error)
      }
    }

    /// Returns the next step.
    ///
    /// - Parameter reasonToStop: Returns an error to stop with. Called regularly, since little input may produce much output.
    /// - Throws: ``HTTPError``: damaged data, a limit, or the reason to stop.
    func next(abortingFor reasonToStop: () -> HTTPError? = { nil }) throws(HTTPError) -> Step {
      if let failure { throw failure }
      do throws(HTTPError) {
        if let reason = reasonToStop() { throw reason }
        if decoders.isEmpty, hasInput {
          throw unknown.map { HTTPError(.interrupted(.contentCoding($0)), delivery: .responded) }
            ?? Self.error(of: .damaged)
        }
        if !decoders.isEmpty, let piece = try next(of: decoders.count - 1, abortingFor: reasonToStop) {
          unproductiveByteCount = 0
          return .chunk(piece)
        }
        guard hasReachedEnd else {
          if unproductiveByteCount > Self.maximumUnproductiveBytes { throw Self.error(of: .damaged) }
          return .needsInput
        }
        guard hasInput || mayBeEmpty, decoders.allSatisfy(\.isComplete) else { throw Self.error(of: .damaged) }
        return .end
      } catch {
        failure = error
        throw error
      }
    }

    private func next(of place: Int, abortingFor reasonToStop: () -> HTTPError?) throws(HTTPError) -> Data? {
      while true {
        let made: Data?
        do throws(ContentDecoder.ContentDecodingError) { made = try decoders[place].next() } catch {
          throw Self.error(of: error)
        }
        if let made {
          outputCounts[place] += Int64(made.count)
          if outputCounts[place] > limit {
            throw HTTPError(.tooLarge(.decompressedBody(limit: Int(clamping: limit))), delivery: .responded)
          }
          return made
        }
        guard place > 0, let below = try next(of: place - 1, abortingFor: reasonToStop) else { return nil }
        // The first of two decoders may produce much output, and the second one none of it.
        if let reason = reasonToStop() { throw reason }
        decoders[place].feed(below)
      }
    }

    private static func error(of failure: ContentDecoder.ContentDecodingError) -> HTTPError {
      let reason: ConnectionFailure =
        switch failure {
        case .damaged: .compression
        case .outOfMemory: .other(code: Int(CURLE_OUT_OF_MEMORY.rawValue))
        }
      return HTTPError(.interrupted(reason), delivery: .responded)
    }
  }
#endif
