import Foundation
import LarderData
import LarderSupport

/// The stages that lead from the version that a store has to the newest one of a plan.
struct MigrationPath {
  /// One stage, with both versions' models as far as they lie in the store.
  struct Step {
    let stage: MigrationStage
    let from: SchemaVersion
    let to: SchemaVersion

    /// Models that are renamed to the name of one that lies in the store as well: whose rows are to have the name cannot be
    /// told, and those of the former model would go. A stage that works with both may have carried them by then.
    func conflictingRenames(in store: StoredSchema) -> [String] {
      let names = Set(to.layouts.map(\.entityName))
      let onto: [String] = to.layouts.compactMap { layout in
        let name = layout.entityName
        guard let original = layout.originalEntityName, from.classNames.contains(original),
          store.table(of: name) != nil,
          !from.layouts.contains(where: { $0.isRenamed(as: layout) })
        else { return nil }
        let advice =
          "Rename \(original) in a stage of its own, after one to a version that has no \(name); or give the model a name "
          + "that no earlier version had"
        guard from.classNames.contains(name) else {
          return
            "\(name) was \(original), and the store has a \(name) already, which version \(from.identifier) does not "
            + "name. List it there. \(advice)"
        }
        if names.contains(original) || stage.didMigrate != nil { return nil }
        return
          "\(name) was \(original), and version \(from.identifier) has both. \(advice); or carry the objects in the "
          + "stage's didMigrate"
      }
      return swapProblems + onto
    }

    /// Models that take each other's names in this stage, which has no work of its own to carry their rows.
    private var swapProblems: [String] {
      guard stage.willMigrate == nil, stage.didMigrate == nil else { return [] }
      var renamed: [String: String] = [:]
      for layout in to.layouts where !from.layouts.contains(where: { $0.isRenamed(as: layout) }) {
        renamed[layout.entityName] = layout.originalEntityName
      }
      return AmbiguousRenames(to.layouts.map(\.entityName), renamed: renamed, in: StoredSchema([])).swapProblems
    }

    /// The classes of a store that those of the version after come from, and those that the stage removes.
    func classes(in store: StoredSchema) -> (taken: [(former: String, layout: _ModelLayout)], removed: Set<String>) {
      let taken = to.layouts.compactMap { layout in
        EntityMatch.originalName(of: layout.entityName, renamedFrom: layout.originalEntityName, in: store).map {
          ($0, layout)
        }
      }
      return (taken, from.classNames.subtracting(taken.map(\.0)))
    }
  }

  let steps: [Step]
  let target: SchemaVersion

  /// - Parameter models: Which of the plan's versions is wanted, and what lies in the store.
  /// - Throws: ``StoreError`` where the plan has no version of the store's shape, or no way from there.
  init(
    _ plan: any SchemaMigrationPlan.Type, of tables: [TableDefinition], recorded: Schema.Version?, at url: URL,
    _ models: MigrationConfiguration
  ) throws {
    let versions = try plan.versions.map { try SchemaVersion($0, models.contains) }
      .inOrder { $0.identifier < $1.identifier }
    guard let target = versions.last(where: { $0.identifier == models.newestVersion }) else {
      throw StoreError.incompletePlan(url, "it has no versions", "List them in schemas")
    }
    for (one, next) in zip(versions, versions.dropFirst()) where one.identifier == next.identifier {
      throw StoreError.incompletePlan(url, "two of its versions are \(one.identifier)", "Give each its own number")
    }
    self.target = target
    let ways = MigrationGraph(plan.stages, versions)
    if let recorded, recorded > target.identifier, !ways.hasPath(from: recorded, to: target) {
      throw StoreError.newerSchema(url, recorded, target.identifier, tables, target.definitions)
    }
    // A file that other containers use has none of these models yet.
    let names = Set(tables.flatMap(\.classNames))
    guard versions.contains(where: { !$0.classNames.isDisjoint(with: names) }) else {
      steps = []
      return
    }
    let fitting = versions.filter {
      $0.differences(from: tables).isEmpty && $0.missingTableCount(in: tables) < $0.definitions.count
    }
    let fewest = fitting.map { $0.missingTableCount(in: tables) }.min()
    let whole = fitting.filter { $0.missingTableCount(in: tables) == fewest }
    // Of several that look the same, the earliest that the store can have: a stage that only changes values is to be taken.
    let earliest = whole.first { $0.identifier >= recorded ?? $0.identifier }
    guard let current = fitting.first(where: { $0.identifier == recorded }) ?? earliest ?? whole.last else {
      let nearest = versions.min { $0.differences(from: tables).count < $1.differences(from: tables).count }
      throw StoreError.unknownSchema(url, nearest?.identifier, nearest?.differences(from: tables) ?? [])
    }
    guard let steps = ways.steps(from: current, to: target) else {
      throw ways.missingPathError(from: current, to: target, at: url)
    }
    self.steps = steps
  }
}

extension _ModelLayout {
  /// Whether both have one name, and one former name.
  fileprivate func isRenamed(as other: _ModelLayout) -> Bool {
    entityName == other.entityName && originalEntityName == other.originalEntityName
  }
}
