internal import CLarderData

/// Stack space for functions that recurse into each level of a predicate.
///
/// A thread of Swift's pool has 512 KiB, and a predicate that a program builds in a loop may have any depth. A function that
/// needs more space than remains runs on a separate thread, and the caller waits.
enum StackSpace {
  /// 128 KiB: one level takes less than a tenth of it in addition to its expression, without optimisation.
  static let minimum = 128 << 10
  /// 24 KiB: twice the space that binding, evaluating and writing a term take for each of its levels, without
  /// optimisation.
  static let perLevel = 24 << 10
  /// 1 KiB for each byte of an expression: Swift's runtime inspects the type level by level, and a level has some bytes.
  static let perExpressionByte = 1 << 10
  /// 16 MiB, of which only used pages become memory.
  private static let newStackSize = 16 << 20

  /// The number of bytes that remain on the current thread's stack.
  static var remaining: Int { larder_stack_room() }

  /// Runs the body with at least this many bytes of stack.
  static func with<Result>(atLeast bytes: Int, _ body: () throws -> Result) throws -> Result {
    if remaining >= bytes { return try body() }
    return try withoutActuallyEscaping(body) { body in
      let work = Work(body)
      let hasRun = larder_run_on_stack(
        bytes + newStackSize, { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().run() },
        // The caller waits, and holds the job.
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
