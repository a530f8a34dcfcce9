#if os(Linux)
  internal import CCurl
  internal import Foundation

  /// Takes all codings off a body, the last that was applied first.
  final class DecodingChain {
    enum Step {
      case piece(Data)
      /// Another piece has to be fed, or that there is none.
      case wantsMore
      case end
    }

    private var decoders: [ContentDecoder] = []
    /// How many bytes each has made. What lies between two of them counts as well: who encodes twice makes a server's
    /// kilobyte a terabyte on the way.
    private var counts: [Int64] = []
    private let limit: Int64
    private var failure: HTTPError?
    private var hasCome = false
    private var hasEnded = false

    /// - Parameters:
    ///   - codings: In the order in which they were applied; nil where they cannot be taken off, so that nothing but an
    ///     empty body can be read.
    ///   - limit: How many bytes may be made.
    init(_ codings: [ContentCoding]?, limit: Int64) {
      self.limit = limit
      guard let codings else { return }
      do throws(ContentDecoder.Failure) {
        for coding in codings.reversed() { decoders.append(try ContentDecoder(coding)) }
        counts = Array(repeating: 0, count: decoders.count)
      } catch {
        failure = Self.error(of: error)
      }
    }

    /// How many bytes there are without the codings.
    var byteCount: Int64 { counts.last ?? 0 }

    /// Takes the next piece of the encoded body, once the last one is used up; nil at its end.
    func feed(_ piece: Data?) {
      guard let piece else {
        hasEnded = true
        return
      }
      if !piece.isEmpty { hasCome = true }
      decoders.first?.feed(piece)
    }

    func next() throws(HTTPError) -> Step {
      if let failure { throw failure }
      do throws(HTTPError) {
        if decoders.isEmpty, hasCome { throw Self.error(of: .damaged) }
        if !decoders.isEmpty, let piece = try next(of: decoders.count - 1) { return .piece(piece) }
        guard hasEnded else { return .wantsMore }
        guard decoders.allSatisfy(\.isWhole) else { throw Self.error(of: .damaged) }
        return .end
      } catch {
        failure = error
        throw error
      }
    }

    private func next(of place: Int) throws(HTTPError) -> Data? {
      while true {
        let made: Data?
        do throws(ContentDecoder.Failure) { made = try decoders[place].next() } catch { throw Self.error(of: error) }
        if let made {
          counts[place] += Int64(made.count)
          if counts[place] > limit {
            throw HTTPError(.tooLarge(.inflatedBody(limit: Int(clamping: limit))), delivery: .answered)
          }
          return made
        }
        guard place > 0, let below = try next(of: place - 1) else { return nil }
        // Of two codings one may make much of little, and the other nothing of that.
        if Task.isCancelled { throw HTTPError(.cancelled, delivery: .answered) }
        decoders[place].feed(below)
      }
    }

    private static func error(of failure: ContentDecoder.Failure) -> HTTPError {
      let reason: ConnectionFailure =
        switch failure {
        case .damaged: .compression
        case .noMemory: .other(code: Int(CURLE_OUT_OF_MEMORY.rawValue))
        }
      return HTTPError(.interrupted(reason), delivery: .answered)
    }
  }
#endif
