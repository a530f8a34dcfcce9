/// What a store is opened with besides the layouts of its models: their version, and how to get there.
package struct MigrationConfiguration: Sendable {
  package let version: Schema.Version
  /// Whether that is the number of a ``VersionedSchema``.
  package let isVersioned: Bool
  package let plan: (any SchemaMigrationPlan.Type)?
  package var options = MigrationOptions()
  /// Who watches the container's migrations.
  package let progress: MigrationProgress
  /// How many stores of the container are opened after this one.
  package var remainingStores = 0
  /// The entities that lie in other stores of the container.
  private var entitiesInOtherStores: Set<String> = []

  package init(
    version: Schema.Version, isVersioned: Bool, plan: (any SchemaMigrationPlan.Type)?, options: MigrationOptions
  ) {
    self.version = version
    self.isVersioned = isVersioned
    self.plan = plan
    newestVersion = plan?.target(for: version, isVersioned: isVersioned) ?? version
    self.options = options
    progress = MigrationProgress(options.progress)
  }

  package init() {
    self.init(version: Schema.Version(1, 0, 0), isVersioned: false, plan: nil, options: MigrationOptions())
  }

  /// The version that a store has once it is open.
  package let newestVersion: Schema.Version

  /// Whether that is a number that somebody gave.
  package var hasExplicitVersion: Bool { isVersioned || plan != nil }

  func limited(to part: StoreAssignment.Entry, of plan: StoreAssignment) -> MigrationConfiguration {
    var models = self
    let own = Set(part.layouts.map(\.entityName))
    models.entitiesInOtherStores = Set(plan.entries.flatMap(\.layouts).map(\.entityName)).subtracting(own)
    return models
  }

  /// Whether a model of some version lies in this store: unless it, or what it inherits from, lies in another one.
  package func contains(_ layout: _ModelLayout) -> Bool {
    !layout.ancestry.contains { entitiesInOtherStores.contains($0.entityName) }
  }
}
