import LarderData

/// The matches of all classes of a migration.
struct EntityMatches {
  /// The schema of the models.
  let models: StoredSchema
  /// The matches in the order of their tables, each class after its superclass.
  let all: [EntityMatch]
  private let indexes: [String: Int]
  /// The classes of the store whose rows are deleted.
  let removed: Set<String>
  /// Whether a stage's own closure handles data that cannot be migrated; such data is treated as new.
  let leavesRestToStage: Bool

  /// - Parameter renamed: The classes' names in an earlier version, by their current names.
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

  /// Returns a class and its subclasses, if the store has rows of them.
  func classesWithRows(below className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).filter { self[$0]?.originalName != nil }
  }

  /// Returns the names in the store of a class and its subclasses.
  func family(of className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).compactMap { self[$0]?.originalName }
  }
}
