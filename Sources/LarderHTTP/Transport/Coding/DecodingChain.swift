#if os(Linux)
  internal import CCurl
  internal import Foundation

  /// Takes all codings off a body, the last that was applied first.
  final class DecodingChain {
    enum Step {
      case chunk(Data)
      /// Another piece has to be fed, or that there is none.
      case needsInput
      case end
    }

    private let codings: [ContentCoding]?
    private let unknown: String?
    /// Made when there is something to decode.
    private var decoders: [ContentDecoder] = []
    /// How many bytes each has made. What lies between two of them counts as well: who encodes twice makes a server's
    /// kilobyte a terabyte on the way.
    private var outputCounts: [Int64] = []
    private let limit: Int64
    private let mayBeEmpty: Bool
    /// How much has been fed since something was made of it.
    private var unproductiveByteCount = 0
    private var failure: HTTPError?
    private var hasInput = false
    private var hasReachedEnd = false

    /// - Parameters:
    ///   - codings: In the order in which they were applied; nil where they cannot be taken off, so that nothing but an
    ///     empty body can be read.
    ///   - unknown: Which of them is not known here.
    ///   - limit: How many bytes may be made.
    ///   - mayBeEmpty: Whether nothing at all is a whole body, as servers send it.
    init(_ codings: [ContentCoding]?, unknown: String? = nil, limit: Int64, mayBeEmpty: Bool = true) {
      self.codings = codings
      self.unknown = unknown
      self.limit = limit
      self.mayBeEmpty = mayBeEmpty
    }

    /// 1 MiB: whoever sends so much of which nothing becomes means no body by it, be it blocks without contents or what
    /// follows the end.
    private static let maximumUnproductiveBytes = 1 << 20

    /// Takes the next piece of the encoded body, once the last one is used up; nil at its end.
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

    /// - Parameter reasonToStop: Is asked from time to time: much may be made of little.
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
        // Of two codings one may make much of little, and the other nothing of that.
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
