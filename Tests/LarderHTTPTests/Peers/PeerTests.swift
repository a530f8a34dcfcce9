import DurabilityWork
import Foundation
import LarderTesting
import Testing

/// The same requests by our client, by curl's command and by Python's requests, as a server sees them.
@Suite(.timeLimit(.minutes(5))) struct PeerTests {
  private static let count = 500
  private static let seed = Share.seed

  @Test func whatIsSent() async throws {
    print("peers: LARDER_SEED=\(Self.seed)")
    let cases = PeerCase.cases(Self.count, seed: Self.seed)
    let ours = try await Peer.ours.make(cases)
    try #require(ours.count == cases.count)
    for peer in [Peer.curl, .requests] {
      let theirs = try await peer.make(cases)
      try #require(theirs.count == cases.count)
      var seen: [PeerDifference: Int] = [:]
      for (number, one) in cases.enumerated() {
        for difference in PeerDifference.Found.all(of: ours[number], theirs[number]) {
          let reasons = PeerDifference.reasons(for: difference, one, peer)
          #expect(!reasons.isEmpty, "\(peer.rawValue), \(one.method) \(one.target) \(one.headers): \(difference)")
          for reason in reasons { seen[reason, default: 0] += 1 }
        }
      }
      print(peer.rawValue, seen.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: ", "))
    }
  }

  /// The page lists each difference that is known here, and no other.
  @Test func whatIsDocumented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let page = try String(contentsOf: root.appending(path: "Documentation/http-requests.md"), encoding: .utf8)
    let listed = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { String($0.dropFirst(3).prefix { $0 != "`" }) }
    #expect(listed.sorted() == PeerDifference.allCases.map(\.rawValue).sorted())
  }
}
