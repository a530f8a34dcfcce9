// Ingests one version of a feed after the other until it is killed: IngestVictim STORE PAGE VERSION COUNT
import CDurability
import DurabilityWork
import IngestWork

/// Longer than any round; whoever is left over ends by itself.
let longestLife: UInt32 = 120

let arguments = CommandLine.arguments
guard arguments.count == 5, let marks = Marks(path: arguments[2]), let first = Int(arguments[3]),
  let count = Int(arguments[4])
else { fatalError("IngestVictim STORE PAGE VERSION COUNT") }
larder_limit_lifetime(longestLife)

let container = try Feed.open(arguments[1])
marks.setReady(save: first - 1)
var version = first
while true {
  marks.begin(version)
  _ = try await Feed(version: version, count: count).ingest(into: container)
  marks.end(version)
  version += 1
}
