internal import CLarderData

/// Room on the stack for what calls itself for each level of a predicate.
///
/// A thread of Swift's pool has 512 KiB, and a predicate that a program puts together in a loop may be of any depth: what
/// needs more room than there is left runs on a thread of its own, for which the caller waits.
enum StackSpace {
  /// 128 KiB: what a level takes beside its expression is less than a tenth of it, without optimisation.
  static let minimum = 128 << 10
  /// 24 KiB: twice what the binding, the evaluation and the writing of a term take for each of its levels, without
  /// optimisation.
  static let perLevel = 24 << 10
  /// 1 KiB for each byte of an expression: Swift's runtime looks at its type level by level, and a level has some bytes.
  static let perExpressionByte = 1 << 10
  /// 16 MiB, of which only what is used becomes memory.
  private static let newStackSize = 16 << 20

  /// The bytes that are left on the stack of the current thread.
  static var remaining: Int { larder_stack_room() }

  /// Runs the body where at least so many bytes are left.
  static func with<Result>(atLeast bytes: Int, _ body: () throws -> Result) throws -> Result {
    if remaining >= bytes { return try body() }
    return try withoutActuallyEscaping(body) { body in
      let work = Work(body)
      let hasRun = larder_run_on_stack(
        bytes + newStackSize, { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().run() },
        // The caller waits, and holds it.
        Unmanaged.passUnretained(work as Job).toOpaque())
      guard hasRun != 0, let result = work.result else { throw UnsupportedPredicate.tooDeep }
      return try result.get()
    }
  }

  private class Job {
    func run() {}
  }

  private final class Work<Result>: Job {
    private let body: () throws -> Result
    private(set) var result: Swift.Result<Result, any Error>?

    init(_ body: @escaping () throws -> Result) { self.body = body }
    override func run() { result = Swift.Result { try body() } }
  }
}
