// Saves and saves until it is killed: KillVictim STORE PAGE SEED WRITER SCALE
import CDurability
import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SwiftData

/// Longer than any round; whoever is left over ends by itself.
let longestLife: UInt32 = 120

func open(_ path: String, _ marks: Marks) throws -> ModelContainer {
  let container = try Writer.open(path)
  try container.store.database.withWriter { marks.watch($0) }
  return container
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let seed = UInt64(arguments[3]), let number = Int(arguments[4]),
  let scale = Int(arguments[5]), let marks = Marks(path: arguments[2])
else { fatalError("KillVictim STORE PAGE SEED WRITER SCALE") }
larder_limit_lifetime(longestLife)

let writer = Writer(seed: seed, number: number, scale: scale)
// Some of the processes move the log into the database every few saves.
var options = StoreOptions()
if getpid() % 4 == 0 { options.settings.checkpointFrames = 200 }
try StoreOptions.$current.withValue(options) {
  var container: ModelContainer? = try open(arguments[1], marks)
  var context = container.map { ModelContext($0) }
  var save = try context.map { try writer.lastSave(in: $0) } ?? 0
  marks.setReady(save: save)
  while true {
    save += 1
    // Contexts that know their rows, contexts that don't, and stores that close and open.
    if save % 16 == 0 {
      context = nil
      container = nil
      container = try open(arguments[1], marks)
    }
    if context == nil || save % 5 == 0 { context = container.map { ModelContext($0) } }
    guard let context else { break }
    try writer.prepare(save, in: context)
    marks.begin(save)
    try context.save()
    marks.end(save)
  }
}
