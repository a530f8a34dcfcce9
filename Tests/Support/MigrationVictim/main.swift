// Opens a store as one of the versions, and is killed meanwhile: MigrationVictim STORE VERSION
import CDurability
import Foundation
import Versions

/// Longer than any opening; whoever is left over ends by itself.
let longestLife: UInt32 = 60

let arguments = CommandLine.arguments
guard arguments.count == 3, let version = Int(arguments[2]) else { fatalError("MigrationVictim STORE VERSION") }
larder_limit_lifetime(longestLife)
// A version that the store cannot be brought to is an error like any other.
_ = try? Walk.open(version, URL(filePath: arguments[1]))
