// Opens a store as the last version of a plan, and is killed meanwhile: MigrationVictim STORE CHAIN PAGE
import CDurability
import DurabilityWork
import Foundation
import Versions

/// Longer than any opening; whoever is left over ends by itself.
let longestLife: UInt32 = 60

let arguments = CommandLine.arguments
guard arguments.count == 4, let chain = Chain(text: arguments[2]), let marks = Marks(path: arguments[3]) else {
  fatalError("MigrationVictim STORE CHAIN PAGE")
}
larder_limit_lifetime(longestLife)
marks.watchFile(arguments[1])
// A version that the store cannot be brought to is an error like any other.
_ = try? chain.open(URL(filePath: arguments[1]))
