internal import CLarderData

/// Runs code that may crash the program, such as a user's `precondition`, or never return, in a copy of the process.
enum ForkedEvaluation {
  /// Returns whether a condition holds; nil where evaluating it would crash the program, or never return.
  ///
  /// - Parameter condition: Runs in a copy of the process: its side effects stay in the copy.
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
      // If the process cannot be copied, the condition is evaluated here.
      default: return condition()
      }
    }
  }

  private final class Work {
    let condition: () -> Bool
    init(_ condition: @escaping () -> Bool) { self.condition = condition }
  }
}
