/// Which request meets which fault: by a script, by a seed, or by what the test says.
///
/// ```swift
/// .script([nil, .closeAfterCommit])         // the second request, and no other
/// .always(.captivePortal)
/// .seeded(7, share: 0.3)                    // three of ten, the same in each run
/// FaultPlan { number, request in request.method == "POST" && number < 3 ? .reset : nil }
/// ```
public struct FaultPlan: Sendable {
  let fault: @Sendable (Int, ScriptedServer.RecordedRequest) -> ServerFault?

  /// - Parameter fault: What happens to a request, by its number from 0 in the order of arrival; nil for nothing. Called
  ///   on the thread of the request's connection.
  public init(_ fault: @escaping @Sendable (Int, ScriptedServer.RecordedRequest) -> ServerFault?) { self.fault = fault }

  /// No faults.
  public static let none = FaultPlan { _, _ in nil }

  /// The same for each request.
  public static func always(_ fault: ServerFault) -> FaultPlan { FaultPlan { _, _ in fault } }

  /// One for each request, in the order of arrival; nil, and what is after the last, is none.
  public static func script(_ faults: [ServerFault?]) -> FaultPlan {
    FaultPlan { number, _ in number < faults.count ? faults[number] : nil }
  }

  /// Faults that follow from a seed: print it, and a run that fails can be repeated.
  ///
  /// - Parameters:
  ///   - seed: Decides all of them, by the number of the request alone.
  ///   - share: How many of the requests have one, from 0 to 1.
  ///   - faults: Those that may be chosen; by default ``ServerFault/transient``.
  public static func seeded(
    _ seed: UInt64, share: Double, among faults: [ServerFault] = ServerFault.transient
  ) -> FaultPlan {
    FaultPlan { number, _ in
      var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      guard Double.random(in: 0..<1, using: &random) < share else { return nil }
      return faults.randomElement(using: &random)
    }
  }
}

extension ServerFault {
  /// Those after which the same request may succeed, and that a client can tell from an answer.
  public static let transient: [ServerFault] = [
    .closeBeforeCommit, .closeAfterCommit, .closeWithinHead, .closeBeforeBody, .reset, .slowDrip(portion: 64),
    .truncatedBody(), .wrongContentLength(), .noHTTP, .status(429, retryAfter: .seconds(0)), .status(503),
  ]
}
