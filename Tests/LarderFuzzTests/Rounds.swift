import DurabilityWork
import Foundation
import Synchronization
import Testing

/// Watches the rounds of a fuzzer: one that does not end is named, and many leave no memory behind.
final class Rounds: Sendable {
  /// No input takes more than some milliseconds.
  private static let patience = Duration.seconds(120)
  /// So many rounds go by before memory is looked at, when caches are full and threads are there.
  private static let warming = 50_000
  /// What all fuzzers of the process may take above that: two hundred bytes of each input, were they one's alone.
  private static let growth = 200 << 20

  private struct State {
    var round = 0
    var began = ContinuousClock.now
    var warm: Int?
    var isOver = false
  }

  private let name: String
  private let count: Int
  private let state = Mutex(State())

  init(_ name: String, _ count: Int) {
    self.name = name
    self.count = count
    let thread = Thread { [self] in
      while true {
        Thread.sleep(forTimeInterval: 1)
        let (round, time, isOver) = state.withLock { ($0.round, ContinuousClock.now - $0.began, $0.isOver) }
        if isOver { return }
        if time > Self.patience { fatalError("round \(round) of \(name), seed \(Share.seed), does not end") }
      }
    }
    thread.start()
  }

  func begin(_ round: Int) {
    state.withLock { state in
      state.round = round
      state.began = .now
      if round == Self.warming { state.warm = Self.memory }
    }
  }

  func end() {
    let warm = state.withLock { state in
      state.isOver = true
      return state.warm
    }
    guard let warm, let now = Self.memory else { return }
    print("\(name): \(count) inputs, \((now - warm) >> 20) MiB above the first \(Self.warming)")
    #expect(now - warm < Self.growth, "\(name), seed \(Share.seed)")
  }

  /// What the process has in memory, as Linux counts it; nil elsewhere.
  private static var memory: Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .ascii),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
  }
}
