// One of several processes that share a store, until it is killed:
// SharedVictim write STORE PAGE SEED WRITER | SharedVictim read STORE PAGE FOLDER
import CDurability
import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SharedWork
import SwiftData

/// Longer than any round; whoever is left over ends by itself.
let longestLife: UInt32 = 120

let arguments = CommandLine.arguments
guard arguments.count >= 5, let marks = Marks(path: arguments[3]) else {
  fatalError("SharedVictim write STORE PAGE SEED WRITER | SharedVictim read STORE PAGE FOLDER")
}
larder_limit_lifetime(longestLife)
// The disk's part is the other kill test's.
var options = StoreOptions()
options.settings.durability = .relaxed
if getpid() % 4 == 0 { options.settings.checkpointFrames = 50 }

if arguments[1] == "write", let seed = UInt64(arguments[4]), let number = Int(arguments[5]) {
  try StoreOptions.$current.withValue(options) {
    var writer = SharedWriter(try SharedStore.open(arguments[2]), number: number, seed: seed)
    var save = try writer.lastSave()
    marks.setReady(save: save)
    while true {
      save += 1
      // Contexts that know their rows, and others.
      if save % 20 == 0 { writer = SharedWriter(try SharedStore.open(arguments[2]), number: number, seed: seed) }
      marks.begin(save)
      try writer.save(save)
      marks.end(save)
    }
  }
} else {
  let folder = URL(filePath: arguments[4])
  let container = try StoreOptions.$current.withValue(options) { try SharedStore.open(arguments[2]) }
  let reader = try SharedReader(container, file: folder.appending(path: "read.json"))
  reader.follow()
  marks.setReady(save: 0)
  var answered = 0
  while true {
    try await Task.sleep(for: .milliseconds(5))
    for problem in reader.problems { print("problem: \(problem)") }
    if !reader.problems.isEmpty { exit(1) }
    // Somebody waits until this one has been told of everything.
    guard let text = try? String(contentsOf: folder.appending(path: "ask"), encoding: .utf8), let asked = Int(text),
      asked > answered, try reader.isUpToDate()
    else { continue }
    answered = asked
    try "\(asked)".write(to: folder.appending(path: "answer"), atomically: true, encoding: .utf8)
  }
}
