import LarderData

/// The matches of all classes of a migration.
struct EntityMatches {
  /// What the store is to have.
  let models: StoredSchema
  /// In the order of their tables, each class after the one that it inherits from.
  let all: [EntityMatch]
  private let indexes: [String: Int]
  /// The classes of the store whose rows go.
  let removed: Set<String>
  /// Whether what cannot be taken over is left to a program's own work: it is then as if it were new.
  let leavesRestToStage: Bool

  /// - Parameter renamed: The names that classes had in an earlier version, by those that they have.
  init(
    _ models: StoredSchema, renamed: [String: String], in store: StoredSchema, removing removed: Set<String>,
    leavingRest leavesRest: Bool
  ) {
    self.models = models
    self.leavesRestToStage = leavesRest
    self.removed = removed
    all = models.classNames.map { EntityMatch($0, renamedFrom: renamed[$0], in: models, from: store) }
    indexes = Dictionary(all.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(className: String) -> EntityMatch? { indexes[className].map { all[$0] } }

  /// A class and those below it, of which the store has rows.
  func classesWithRows(below className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).filter { self[$0]?.originalName != nil }
  }

  /// The store's names of a model's class and of those below it.
  func family(of className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).compactMap { self[$0]?.originalName }
  }
}
