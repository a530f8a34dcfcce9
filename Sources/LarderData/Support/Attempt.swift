internal import CLarderData
import LarderSQLite

/// Runs what may end the program, as a user's `precondition` does, where it ends something else: a process of its own, which
/// has the program's memory.
enum Attempt {
  /// - Parameter body: Escaping, since one that would have ended the program is held for ever.
  /// - Returns: What the body returns; nil where it would have ended the program.
  static func run<Result>(_ body: @escaping () -> Result) -> Result? {
    let work = Work(body)
    let outcome = larder_attempt(
      { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().run() },
      // The caller waits, and holds it.
      Unmanaged.passUnretained(work as Job).toOpaque())
    switch Int(outcome) {
    case LARDER_ATTEMPT_ENDED: return work.result
    case LARDER_ATTEMPT_FAILED:
      failed.withLock { $0.append(work) }
      return nil
    // Where there is no such process, it is run here.
    default: return body()
    }
  }

  /// What has failed in its midst holds itself for ever: one for each type whose coding ends the program. They are kept here, so
  /// that the leak detector knows of them.
  private static let failed = Locked<[Job]>([])

  private class Job {
    func run() {}
  }

  private final class Work<Result>: Job {
    private let body: () -> Result
    private(set) var result: Result?

    init(_ body: @escaping () -> Result) { self.body = body }
    override func run() { result = body() }
  }
}
