// Uses a store in a process of its own, and prints what it found.
//
//   StoreProbe read FILE      opens it for reading, as a user without privileges
//   StoreProbe write FILE     opens it, and saves once
//   StoreProbe disk FOLDER    saves on a small disk until it is full, and after some room was made
//   StoreProbe medium FOLDER  reads one where nothing can be written
import CDurability
import DurabilityWork
import Foundation

/// Longer than any probe takes.
let longestLife: UInt32 = 120

func main() throws {
  larder_limit_lifetime(longestLife)
  let arguments = CommandLine.arguments
  guard arguments.count == 3 else { throw ChildProcess.Failure("StoreProbe read|write|disk|medium PATH") }
  switch arguments[1] {
  case "disk": try SmallDisk(folder: arguments[2]).report().print()
  case "medium": try ReadOnlyMedium(folder: arguments[2]).report().print()
  case "read": try Unprivileged.report(arguments[2], saves: false).print()
  case "write": try Unprivileged.report(arguments[2], saves: true).print()
  default: throw ChildProcess.Failure("there is no probe \"\(arguments[1])\"")
  }
}

do {
  try main()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
