import LarderData

/// The matches of all classes of a migration.
struct ClassMatches {
  /// What the store is to have.
  let models: StoreShape
  /// In the order of their tables, each class after the one that it inherits from.
  let all: [ClassMatch]
  private let places: [String: Int]
  /// The classes of the store whose rows go.
  let removed: Set<String>
  /// Whether what cannot be taken over is left to a program's own work: it is then as if it were new.
  let leavesRest: Bool

  /// - Parameter renamed: The names that classes had in an earlier version, by those that they have.
  init(
    _ models: StoreShape, renamed: [String: String], in store: StoreShape, removing removed: Set<String>,
    leavingRest leavesRest: Bool
  ) {
    self.models = models
    self.leavesRest = leavesRest
    self.removed = removed
    all = models.classNames.map { ClassMatch($0, renamedFrom: renamed[$0], in: models, from: store) }
    places = Dictionary(all.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(className: String) -> ClassMatch? { places[className].map { all[$0] } }

  /// A class and those below it, of which the store has rows.
  func classesWithRows(below className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).filter { self[$0]?.former != nil }
  }

  /// The store's names of a model's class and of those below it.
  func family(of className: String) -> [String] {
    (models.table(of: className)?.family(of: className) ?? [className]).compactMap { self[$0]?.former }
  }
}
