import Foundation
import LarderData
import LarderSupport

/// The stages from the version of a store to the newest version of a plan.
struct MigrationPath {
  /// One stage, with the models of both versions that belong to the store.
  struct Step {
    let stage: MigrationStage
    let from: SchemaVersion
    let to: SchemaVersion

    /// Returns the problems of models that are renamed to the name of another model in the store: it is ambiguous whose
    /// rows keep the name, and the rows of the former model would be deleted. A stage whose closure sees both models
    /// may have moved them before.
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

    /// The problems of models that exchange names in this stage, which has no closure that moves their rows.
    private var swapProblems: [String] {
      guard stage.willMigrate == nil, stage.didMigrate == nil else { return [] }
      var renamed: [String: String] = [:]
      for layout in to.layouts where !from.layouts.contains(where: { $0.isRenamed(as: layout) }) {
        renamed[layout.entityName] = layout.originalEntityName
      }
      return AmbiguousRenames(to.layouts.map(\.entityName), renamed: renamed, in: StoredSchema([])).swapProblems
    }

    /// Returns the classes of a store that the later version continues, and the classes that the stage removes.
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

  /// Finds the stages to execute.
  ///
  /// - Parameter models: The wanted version of the plan, and the models that belong to the store.
  /// - Throws: ``StoreError`` if no version of the plan matches the store's schema, or if there is no path from it.
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
    // A file that other containers use may not have any of these models yet.
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
    // Among several versions that look the same, take the earliest that the store can have, so that a stage that only
    // changes values is executed.
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
  /// Returns whether both layouts have the same name and the same former name.
  fileprivate func isRenamed(as other: _ModelLayout) -> Bool {
    entityName == other.entityName && originalEntityName == other.originalEntityName
  }
}
