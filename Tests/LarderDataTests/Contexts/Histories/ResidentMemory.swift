import Foundation
import Glibc

/// How much memory the process has while something is done again and again: once it has been done for a quarter of the
/// time, and at the end.
struct ResidentMemory: CustomStringConvertible {
  /// What the allocator may keep for itself, in MiB.
  static let slack = 16.0

  static var minutes: Double? { ProcessInfo.processInfo.environment["MINUTES"].flatMap(Double.init) }

  private let start = ContinuousClock.now
  private let time: Duration
  private(set) var rounds = 0
  private var early: Double?
  private var roundsEarly = 0
  private var late = 0.0

  init(minutes: Double) { time = .seconds(minutes * 60) }

  /// Counts a round, and says whether there is time for another.
  mutating func goesOn() -> Bool {
    let passed = ContinuousClock.now - start
    if early == nil, passed > time / 4 {
      early = Self.resident
      roundsEarly = rounds
    }
    guard passed < time else {
      late = Self.resident
      return false
    }
    rounds += 1
    return true
  }

  /// By how many MiB it grew.
  var growth: Double { late - (early ?? late) }

  var description: String {
    String(
      format: "%.1f MiB after %d rounds, %.1f MiB after %d", early ?? 0, roundsEarly, late, rounds)
  }

  /// In MiB, without what the allocator has been given back.
  private static var resident: Double {
    // No header that Swift imports declares it.
    typealias Trim = @convention(c) (Int) -> Int32
    if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Double(fields[1]) ?? 0) * Double(getpagesize()) / 1_048_576 : 0
  }
}
