package import DurabilityWork
package import Foundation
package import SwiftData

/// A plan over several versions, some of whose stages have work of their own.
///
/// A version may be there more than once: it is each time another one of the plan's.
package struct Chain: Sendable {
  package struct Stage: Sendable {
    /// The place of the version that it leads to.
    package let version: Int
    package let isCustom: Bool
  }

  package let first: Int
  package let stages: [Stage]

  /// The most versions that a plan has.
  private static let longest = 8
  /// How many versions are looked at for one that the objects can be brought to; beyond that it is one that refuses them.
  private static let tries = 12

  /// Chooses 2 to 8 versions. Most can be reached with the objects that there are.
  package init(from first: Int, _ state: WalkState, random: inout SeededGenerator) {
    self.first = first
    var stages: [Stage] = []
    var (version, state) = (first, state)
    for _ in 0..<Int.random(in: 1..<Chain.longest, using: &random) {
      var next = version
      for _ in 0..<Chain.tries {
        next = Int.random(in: walkVersions.indices, using: &random)
        if Chain.migrated(state, version, next) != nil || Int.random(in: 0..<40, using: &random) == 0 { break }
      }
      // What cannot be taken over is left to a stage with work of its own; that is for other tests.
      let isPossible = Chain.migrated(state, version, next) != nil
      let stage = Stage(version: next, isCustom: isPossible && Bool.random(using: &random))
      stages.append(stage)
      guard let after = Chain.take(stage, stages.count, from: version, state) else { break }
      (version, state) = (next, after)
    }
    self.stages = stages
  }

  package var last: Int { stages.last?.version ?? first }

  // MARK: What it leads to

  private static func migrated(_ state: WalkState, _ old: Int, _ new: Int) -> WalkState? {
    state.migrated(from: walkVersions[old].shape, to: walkVersions[new].shape)
  }

  private static func take(_ stage: Stage, _ number: Int, from version: Int, _ state: WalkState) -> WalkState? {
    var state = state
    if stage.isCustom { state.add(added(2 * number, walkVersions[version])) }
    guard var after = migrated(state, version, stage.version) else { return nil }
    if stage.isCustom { after.add(added(2 * number + 1, walkVersions[stage.version])) }
    return after
  }

  /// What a store with some objects has after the stages from one on; nil where it is to be refused.
  package func expected(_ state: WalkState) -> WalkState? {
    var (version, state) = (first, state)
    for (place, stage) in stages.enumerated() {
      guard let after = Chain.take(stage, place + 1, from: version, state) else { return nil }
      (version, state) = (stage.version, after)
    }
    return state
  }

  /// The first stages.
  package func prefix(_ count: Int) -> Chain { Chain(first: first, stages: Array(stages.prefix(count))) }

  private init(first: Int, stages: [Stage]) {
    self.first = first
    self.stages = stages
  }

  // MARK: The plan

  struct Mismatch: Error { let explanation: String }

  /// An object of a stage's own.
  private static func added(_ number: Int, _ type: any WalkVersion.Type) -> ItemState {
    let shape = type.shape
    var item = ItemState(number: 100_000 + number)
    if shape.a != .none { item.a = 5 }
    if shape.b != .none { item.b = "on" }
    if shape.c != .none { item.c = Point3(x: 1, y: 2, z: nil) }
    return item
  }

  private func versions() -> [any VersionedSchema.Type] {
    ([first] + stages.map(\.version)).enumerated().map { Chain.step(walkVersions[$1], Chain.numbers[$0]) }
  }

  private func migrationStages(_ versions: [any VersionedSchema.Type]) -> [MigrationStage] {
    var result: [MigrationStage] = []
    var version = first
    for (place, stage) in stages.enumerated() {
      let (old, new) = (walkVersions[version], walkVersions[stage.version])
      let number = place + 1
      version = stage.version
      guard stage.isCustom else {
        result.append(.lightweight(fromVersion: versions[place], toVersion: versions[place + 1]))
        continue
      }
      result.append(
        .custom(
          fromVersion: versions[place], toVersion: versions[place + 1],
          willMigrate: { context in
            try old.insert([Chain.added(2 * number, old)], boxes: [], [], into: context)
          },
          didMigrate: { context in
            guard let former = try context.previousContext() else { throw Mismatch(explanation: "no former context") }
            let before = try old.read(former)
            let after = try new.read(context)
            guard before.migrated(from: old.shape, to: new.shape) == after else {
              throw Mismatch(explanation: "stage \(number) shows \(before) before and \(after) after")
            }
            try new.insert([Chain.added(2 * number + 1, new)], boxes: [], [], into: context)
          }))
    }
    return result
  }

  /// Opens a store as the last version, over all those between.
  package func open(_ url: URL) throws -> ModelContainer {
    let versions = versions()
    let plan = ChainPlan.Contents(schemas: versions, stages: migrationStages(versions))
    return try ChainPlan.$contents.withValue(plan) {
      try ModelContainer(
        for: Schema(versionedSchema: versions[versions.count - 1]), migrationPlan: ChainPlan.self,
        configurations: ModelConfiguration(url: url))
    }
  }

  package func read(_ container: ModelContainer) throws -> WalkState {
    try walkVersions[last].read(ModelContext(container))
  }

  // MARK: As a text

  package var text: String {
    ([String(first)] + stages.map { "\($0.version)\($0.isCustom ? "+" : "")" }).joined(separator: ",")
  }

  package init?(text: String) {
    let parts = text.split(separator: ",")
    let numbers = parts.compactMap { Int($0.prefix { $0.isNumber }) }
    guard let first = numbers.first, numbers.count == parts.count, numbers.count <= Chain.longest,
      numbers.allSatisfy(walkVersions.indices.contains)
    else { return nil }
    self.first = first
    stages = zip(numbers, parts).dropFirst().map { Stage(version: $0, isCustom: $1.hasSuffix("+")) }
  }
}

extension WalkState {
  fileprivate mutating func add(_ item: ItemState) { items[item.number] = item }
}

// MARK: - The versions of plans

private enum ChainPlan: SchemaMigrationPlan {
  struct Contents: Sendable {
    var schemas: [any VersionedSchema.Type] = []
    var stages: [MigrationStage] = []
  }

  @TaskLocal static var contents = Contents()

  static var schemas: [any VersionedSchema.Type] { contents.schemas }
  static var stages: [MigrationStage] { contents.stages }
}

/// The number of a version within a plan.
private protocol StepNumber: SendableMetatype {
  static var value: Int { get }
}

private enum First: StepNumber { static var value: Int { 1 } }
private enum After<Number: StepNumber>: StepNumber { static var value: Int { Number.value + 1 } }

private enum Step<Version: WalkVersion, Number: StepNumber>: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(Number.value, 0, 0) }
  static var models: [any PersistentModel.Type] { Version.models }
}

extension Chain {
  private typealias Fourth = After<After<After<First>>>

  fileprivate static var numbers: [any StepNumber.Type] {
    [
      First.self, After<First>.self, After<After<First>>.self, Fourth.self, After<Fourth>.self,
      After<After<Fourth>>.self,
      After<After<After<Fourth>>>.self, After<After<After<After<Fourth>>>>.self,
    ]
  }

  fileprivate static func step(_ version: any WalkVersion.Type, _ number: any StepNumber.Type)
    -> any VersionedSchema.Type
  {
    func make<Version: WalkVersion, Number: StepNumber>(
      _: Version.Type, _: Number.Type
    ) -> any VersionedSchema.Type { Step<Version, Number>.self }
    return make(version, number)
  }
}
