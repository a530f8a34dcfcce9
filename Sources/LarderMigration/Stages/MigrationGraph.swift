import Foundation
import LarderData

/// The stages of a plan as a graph of versions, with edges up or down.
struct MigrationGraph {
  private let stages: [MigrationStage]
  private let versions: [SchemaVersion]

  init(_ stages: [MigrationStage], _ versions: [SchemaVersion]) {
    self.stages = stages
    self.versions = versions
  }

  private func version(_ type: any VersionedSchema.Type) -> SchemaVersion? {
    versions.first { $0.identifier == type.versionIdentifier }
  }

  private func stages(from version: Schema.Version) -> [MigrationStage] {
    stages.filter { $0.versions.from.versionIdentifier == version }
  }

  /// Returns the shortest path from one version to another; among several, the one that the plan lists first.
  func steps(from first: SchemaVersion, to target: SchemaVersion) -> [MigrationPath.Step]? {
    var seen: Set<Schema.Version> = [first.identifier]
    var ways: [(version: SchemaVersion, steps: [MigrationPath.Step])] = [(first, [])]
    var place = 0
    while place < ways.count {
      let way = ways[place]
      place += 1
      if way.version.identifier == target.identifier { return way.steps }
      for stage in stages(from: way.version.identifier) {
        guard let next = version(stage.versions.to), seen.insert(next.identifier).inserted else { continue }
        ways.append((next, way.steps + [MigrationPath.Step(stage: stage, from: way.version, to: next)]))
      }
    }
    return nil
  }

  func hasPath(from version: Schema.Version, to target: SchemaVersion) -> Bool {
    versions.first { $0.identifier == version }.map { steps(from: $0, to: target) != nil } ?? false
  }

  /// Returns the error for a missing path.
  func missingPathError(from first: SchemaVersion, to target: SchemaVersion, at url: URL) -> StoreError {
    // Follow the stages as far as they go towards the target.
    var current = first
    while let next = stages(from: current.identifier).lazy.compactMap({ version($0.versions.to) })
      .first(where: { $0.identifier > current.identifier && $0.identifier <= target.identifier })
    {
      current = next
    }
    let wanted = target.identifier < first.identifier ? " towards \(target.identifier)" : ""
    return StoreError.incompletePlan(
      url,
      current.identifier == first.identifier
        ? "no stage begins at \(current.identifier), which the store has"
          + (stages(from: current.identifier).isEmpty ? "" : ", and leads to \(target.identifier)")
        : "the store is of \(first.identifier), its stages lead on to \(current.identifier), and no stage begins at "
          + "\(current.identifier)\(wanted)",
      "Add a stage from each version to the next")
  }
}
