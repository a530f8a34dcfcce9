#if DEBUG
  internal import Synchronization

  /// Checks invariants of data structures in debug builds.
  ///
  /// A violation ends the program with a sentence that names the structure. A test that provokes one collects it
  /// instead:
  ///
  /// ```swift
  /// let violations = Contract.violations { core._checkInvariants() }
  /// ```
  package enum Contract {
    /// The violations that a test has collected.
    private final class Recorder: Sendable {
      let messages = Mutex<[String]>([])
    }

    @TaskLocal private static var recorder: Recorder?

    /// Ends the program if a condition is false, or records the violation for a test that collects violations.
    ///
    /// - Parameter message: A sentence that names the structure, the object and the fault.
    package static func require(
      _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
    ) {
      if condition { return }
      guard let recorder else { return assertionFailure(message(), file: file, line: line) }
      let sentence = message()
      recorder.messages.withLock { $0.append(sentence) }
    }

    /// Runs the body, and returns the violations that its checks found.
    package static func violations(in body: () throws -> Void) rethrows -> [String] {
      let recorder = Recorder()
      try $recorder.withValue(recorder) { try body() }
      return recorder.messages.withLock { $0 }
    }
  }
#endif
