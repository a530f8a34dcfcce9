import DurabilityWork
import SwiftData

/// What a context has not saved yet, in a form that can be compared.
struct Pending: Equatable {
  private var inserted: [String]
  private var changed: [String]
  private var deleted: [String]
  private var hasChanges: Bool

  init(_ context: ModelContext) {
    inserted = context.insertedModelsArray.map { Self.form($0) }
    changed = context.changedModelsArray.map { Self.form($0) }
    deleted = context.deletedModelsArray.map { Self.form($0) }
    hasChanges = context.hasChanges
  }

  private static func form(_ model: any PersistentModel) -> String {
    let state = "\(model.persistentModelID) \(model.hasChanges) \(model.isDeleted)"
    if let entry = model as? Entry { return "\(state) \(entry.content)" }
    if let progress = model as? Milestone { return "\(state) \(progress.writer) \(progress.save) \(progress.digest)" }
    return state
  }
}
