/// The assignment of faults to requests: by a script, by a seed, or by a closure.
///
/// ```swift
/// .script([nil, .closeAfterCommit])         // the second request, and no other
/// .always(.captivePortal)
/// .seeded(7, share: 0.3)                    // three of ten, the same in each run
/// FaultPlan { number, request in request.method == "POST" && number < 3 ? .reset : nil }
/// ```
public struct FaultPlan: Sendable {
  let fault: @Sendable (Int, ScriptedServer.RecordedRequest) -> ServerFault?

  /// Creates a plan from a closure.
  ///
  /// - Parameter fault: A closure that receives a request and its number, from 0 in the order of arrival, and returns the request's
  ///   fault or `nil`. It is called on the thread of the request's connection.
  public init(_ fault: @escaping @Sendable (Int, ScriptedServer.RecordedRequest) -> ServerFault?) { self.fault = fault }

  /// A plan without faults.
  public static let none = FaultPlan { _, _ in nil }

  /// Returns a plan with the same fault for each request.
  public static func always(_ fault: ServerFault) -> FaultPlan { FaultPlan { _, _ in fault } }

  /// Returns a plan with one fault for each request, in the order of arrival. A `nil` element means no fault, and so does a request
  /// after the last element.
  public static func script(_ faults: [ServerFault?]) -> FaultPlan {
    FaultPlan { number, _ in number < faults.count ? faults[number] : nil }
  }

  /// Returns a plan whose faults follow from a seed: print the seed, and a failed run can be repeated.
  ///
  /// - Parameters:
  ///   - seed: The seed, which together with the number of a request determines its fault.
  ///   - share: The share of requests with a fault, from 0 to 1.
  ///   - faults: The faults to choose from. The default is ``ServerFault/transient``.
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
  /// The faults that a client can recognize, and after which the same request may succeed.
  public static let transient: [ServerFault] = [
    .closeBeforeCommit, .closeAfterCommit, .closeWithinHead, .closeBeforeBody, .reset, .slowDrip(portion: 64),
    .truncatedBody(), .wrongContentLength(), .noHTTP, .status(429, retryAfter: .seconds(0)), .status(503),
  ]
}
