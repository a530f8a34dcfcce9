/// The matches of all classes of a migration.
struct ClassMatches {
  private let matches: [Int: ClassMatch]
  private let hierarchies: [ModelHierarchy]
  /// The classes of the store whose rows go.
  let removed: Set<String>
  /// Whether what cannot be taken over is left to a program's own work: it is then as if it were new.
  let leavesRest: Bool

  init(
    _ hierarchies: [ModelHierarchy], in store: FormerStore, removing removed: Set<String>, leavingRest leavesRest: Bool
  ) {
    self.leavesRest = leavesRest
    self.hierarchies = hierarchies
    self.removed = removed
    let all = hierarchies.flatMap(\.members).map { ClassMatch($0, in: store) }
    matches = Dictionary(all.map { ($0.layout.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(layout: ModelLayout) -> ClassMatch? { matches[layout.id] }

  var all: [ClassMatch] { hierarchies.flatMap(\.members).compactMap { matches[$0.id] } }

  /// The store's names of a model's class and of those below it.
  func family(of layout: ModelLayout) -> [String] {
    let hierarchy = hierarchies.first { $0.members.contains { $0 === layout } }
    return (hierarchy?.family(of: layout) ?? [layout]).compactMap { matches[$0.id]?.former }
  }
}
