import Foundation
package import LarderData
import SwiftData

/// One of the store's writers: its seed and number decide what each of its saves does.
package struct Writer: Sendable {
  package let seed: UInt64
  package let number: Int
  /// The most slots that one operation touches.
  package let scale: Int

  package init(seed: UInt64, number: Int = 0, scale: Int) {
    self.seed = seed
    self.number = number
    self.scale = scale
  }

  package static let models: [any PersistentModel.Type] = [Entry.self, Milestone.self]

  package static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(url: URL(filePath: path)))
  }

  package func plan(_ save: Int) -> SavePlan { SavePlan(seed: seed, writer: number, number: save, scale: scale) }

  package func content(_ slot: Int, _ save: Int) -> Content {
    Content(seed: seed, writer: number, slot: slot, save: save)
  }

  /// The last save that the store has.
  package func lastSave(in context: ModelContext) throws -> Int { try progress(in: context)?.save ?? 0 }

  private func progress(in context: ModelContext) throws -> Milestone? {
    let writer = number
    return try context.fetch(FetchDescriptor(predicate: #Predicate<Milestone> { $0.writer == writer })).first
  }

  /// Makes a save's changes in the context, without saving them.
  package func prepare(_ save: Int, in context: ModelContext) throws {
    let plan = plan(save)
    for operation in plan.operations { try run(operation, save, in: context) }
    if !plan.insertsProgress, let progress = try progress(in: context) {
      progress.save = save
      progress.digest = plan.digest
    } else {
      context.insert(Milestone(writer: number, save: save, digest: plan.digest))
    }
  }

  private func run(_ operation: SavePlan.PlannedOperation, _ save: Int, in context: ModelContext) throws {
    let writer = number
    let first = operation.slots.lowerBound
    let end = operation.slots.upperBound
    let matching = #Predicate<Entry> { $0.writer == writer && $0.slot >= first && $0.slot < end }
    switch operation.action {
    case .put:
      for slot in operation.slots { context.insert(Entry(content(slot, save))) }
    case .edit:
      for entry in try context.fetch(FetchDescriptor(predicate: matching)) { entry.update(content(entry.slot, save)) }
    case .delete:
      for entry in try context.fetch(FetchDescriptor(predicate: matching)) { context.delete(entry) }
    case .deleteMatching:
      try context.delete(model: Entry.self, where: matching)
    }
  }
}
