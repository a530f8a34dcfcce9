import DurabilityWork
import Foundation
import LarderData
package import SwiftData

/// Saves and saves, in step with whoever else does, and loses nothing of theirs.
package struct SharedWriter {
  package struct Failure: Error { package let problem: String }

  private let number: Int
  private var random: SeededGenerator
  private let context: ModelContext

  package init(_ container: ModelContainer, number: Int, seed: UInt64) {
    self.number = number
    random = SeededGenerator(seed: seed, number, Int(getpid()))
    context = ModelContext(container)
    context.autosaveEnabled = false
    context.author = SharedStore.author(number)
    // What another has saved meanwhile is not written over.
    context.mergePolicy = .error
  }

  package func lastSave() throws -> Int { try progress().save }

  private func progress() throws -> Progress {
    let writer = number
    guard let found = try context.fetch(FetchDescriptor<Progress>(predicate: #Predicate { $0.writer == writer })).first
    else { throw Failure(problem: "writer \(number) has no progress") }
    return found
  }

  /// Makes a save, again and again until nobody else is quicker.
  package mutating func save(_ save: Int) throws {
    while true {
      do {
        try change(save)
        return try context.save()
      } catch let error as SaveError where [.mergeConflict, .rowDeleted, .referencedRowDeleted].contains(error.code) {
        context.rollback()
      }
    }
  }

  private mutating func change(_ save: Int) throws {
    let progress = try progress()
    if progress.save != save - 1 { throw Failure(problem: "save \(save) follows \(progress.save)") }
    progress.save = save
    let tallies = try context.fetch(FetchDescriptor<Tally>())
    tallies[0].saves += 1
    let shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
    let shelf = shelves[Int.random(in: 0..<shelves.count, using: &random)]
    let text = String(repeating: "x", count: Int.random(in: 1...200, using: &random))
    context.insert(Item(writer: number, save: save, text: text, shelf: shelf))
    shelf.count += 1
    let writer = Int.random(in: 0..<SharedStore.writers, using: &random)
    let before = save - Int.random(in: 10...40, using: &random)
    let old = FetchDescriptor<Item>(predicate: #Predicate { $0.writer == writer && $0.save <= before })
    guard let item = try context.fetch(old).first, let former = item.shelf else { return }
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let other = shelves[Int.random(in: 0..<shelves.count, using: &random)]
      former.count -= 1
      other.count += 1
      item.shelf = other
    default:
      former.count -= 1
      tallies[0].deletions += 1
      context.delete(item)
    }
  }
}
