internal import CLarderData

/// Runs what may end the program, as a user's `precondition` does, or never come to an end, in a copy of the process.
enum ForkedEvaluation {
  /// Whether a condition holds; nil where finding that out would end the program, or has no end.
  ///
  /// - Parameter condition: Runs in a copy of the process: what it changes is changed there.
  static func evaluate(_ condition: () -> Bool) -> Bool? {
    withoutActuallyEscaping(condition) { condition in
      let work = Work(condition)
      let outcome = withExtendedLifetime(work) {
        larder_attempt(
          { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().condition() ? 1 : 0 },
          Unmanaged.passUnretained(work).toOpaque())
      }
      switch Int(outcome) {
      case LARDER_ATTEMPT_HOLDS: return true
      case LARDER_ATTEMPT_DOES_NOT_HOLD: return false
      case LARDER_ATTEMPT_FAILED: return nil
      // Where there is no such process, it is found out here.
      default: return condition()
      }
    }
  }

  private final class Work {
    let condition: () -> Bool
    init(_ condition: @escaping () -> Bool) { self.condition = condition }
  }
}
