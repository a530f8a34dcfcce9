import CDurability
import DurabilityWork
import Foundation
import LarderSecrets
import Testing

/// A process that replaces its secrets is killed at random instants. What it had kept is there, and the file is whole.
@Suite struct SecretKillTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 200
  private static let least = 20
  /// How much longer it may go on until a kill has come at each of the instants that are told apart.
  private static let longestLuck = Duration.seconds(600)
  private static let longestStart = Duration.seconds(60)
  /// The latest instant of a kill, counted from the first replacement: some tens of them.
  private static let latestKill: UInt32 = 30_000

  @Test func killedWriters() async throws {
    let folder = try WorkFolder()
    let marks = try #require(larder_marks_map(folder.path("page")))
    defer { larder_marks_unmap(marks) }
    var random = SeededGenerator(seed: Share.seed)
    var (kept, inside, leftovers, unreturned) = (Int64(0), 0, 0, 0)
    let counter = SecretName(service: "victim", account: "counter")
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.least)
    let end = Share.end()
    var round = 0
    let luck = ContinuousClock.now + Self.longestLuck
    // Which instants are hit is chance, and the machine's: what was not hit yet is waited for.
    func isWanting() -> Bool {
      (kept == 0 || round >= Self.whole && (leftovers == 0 || inside == 0)) && ContinuousClock.now < luck
    }
    while round < rounds || ContinuousClock.now < end || isWanting() {
      round += 1
      larder_marks_reset(marks, kept)
      let victim = try ChildProcess(
        "SecretVictim", ["save", folder.path("secrets"), folder.path("page")], output: folder.file("printed"))
      let limit = ContinuousClock.now + Self.longestStart
      while larder_marks_is_ready(marks) == 0, !victim.hasEnded, ContinuousClock.now < limit { usleep(500) }
      usleep(.random(in: 0..<Self.latestKill, using: &random))
      victim.killNow()
      #expect(victim.wait() == .signal(SIGKILL), "seed \(Share.seed): \(victim.printed)")
      let (begun, returned) = (larder_marks_last_begun(marks), larder_marks_last_returned(marks))
      let found = try await folder.store().secret(for: counter)?.text().flatMap { Int64($0) } ?? 0
      #expect(found == returned || found == begun, "seed \(Share.seed), round \(round)")
      #expect(returned >= kept && begun <= returned + 1)
      // Of the others each is as one of its writings was.
      for number in 0..<8 {
        let name = SecretName(service: "victim", account: "other\(number)")
        guard let secret = try await folder.store().secret(for: name) else { continue }
        #expect(secret.withBytes { bytes in bytes.allSatisfy { $0 == bytes[0] } })
      }
      if begun > returned { inside += 1 }
      if found > returned { unreturned += 1 }
      let stale = folder.names.filter { $0.hasSuffix(".tmp") }.count
      #expect(stale <= 1, "Each writer clears what the last one left.")
      leftovers += stale
      #expect(folder.mode("secrets") ?? 0o600 == 0o600)
      kept = found
    }
    try await folder.store().set(Secret("last"), for: counter)
    #expect(folder.names.filter { $0.hasPrefix(".") } == [".secrets.lock"])
    print(
      "seed \(Share.seed): \(round) kills, \(inside) while the counter was replaced, \(leftovers) left a file behind, "
        + "\(unreturned) had replaced it and not returned; \(kept) replacements")
    #expect(kept > 0)
    if round >= Self.whole { #expect(leftovers > 0 && inside > 0) }
  }
}
