// Ingests one version of a feed after the other until it is killed: IngestVictim STORE PAGE VERSION COUNT
// Or ingests one, and says how much memory that took: IngestVictim STORE COUNT [SERVER]
import CDurability
import DurabilityWork
import Foundation
import IngestWork
import LarderData

/// Longer than any round; whoever is left over ends by itself.
let longestLife: UInt32 = 600

let arguments = CommandLine.arguments
larder_limit_lifetime(longestLife)

if arguments.count <= 4, let count = arguments.dropFirst(2).first.flatMap({ Int($0) }) {
  let container = try Feed.open(arguments[1])
  // What is made once is there before.
  _ = try await Feed(version: 1, count: 1_000, padding: 650).ingest(into: container)
  let before = ResidentMemory.now()
  ResidentMemory.forgetPeak()
  let feed = Feed(version: 1, count: count, padding: 650)
  let server = arguments.count == 4 ? URL(string: arguments[3]) : nil
  let report =
    if let server { try await feed.ingest(from: server, into: container) } else {
      try await feed.ingest(into: container)
    }
  print("\(report.inserted + report.unchanged) \(ResidentMemory.peak() - before)")
} else {
  guard arguments.count == 5, let marks = Marks(path: arguments[2]), let first = Int(arguments[3]),
    let count = Int(arguments[4])
  else { fatalError("IngestVictim STORE PAGE VERSION COUNT, or STORE COUNT [SERVER]") }
  let container = try Feed.open(arguments[1])
  marks.setReady(save: first - 1)
  var version = first
  while true {
    marks.begin(version)
    _ = try await Feed(version: version, count: count).ingest(into: container)
    marks.end(version)
    version += 1
  }
}
