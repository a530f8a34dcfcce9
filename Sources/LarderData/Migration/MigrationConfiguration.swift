/// The version of a store's models and the way to migrate to it, in addition to the models' layouts.
package struct MigrationConfiguration: Sendable {
  /// The version of the models.
  package let version: Schema.Version
  /// Whether `version` is the number of a ``VersionedSchema``.
  package let isVersioned: Bool
  /// The program's migration plan. Its type is not named here, since a plan works with contexts.
  let planType: Any.Type?
  package var options = MigrationOptions()
  /// The progress of the container's migrations.
  package let progress: MigrationProgress
  /// The number of stores of the container that are opened after this one.
  package var remainingStores = 0
  /// The entities that belong to other stores of the container.
  var entitiesInOtherStores: Set<String> = []

  init(
    version: Schema.Version, isVersioned: Bool, planType: Any.Type?, newestVersion: Schema.Version,
    options: MigrationOptions
  ) {
    self.version = version
    self.isVersioned = isVersioned
    self.planType = planType
    self.newestVersion = newestVersion
    self.options = options
    progress = MigrationProgress(options.progress)
  }

  package init() {
    let version = Schema.Version(1, 0, 0)
    self.init(
      version: version, isVersioned: false, planType: nil, newestVersion: version, options: MigrationOptions())
  }

  /// The version of the store once it is open.
  package let newestVersion: Schema.Version

  /// Whether `newestVersion` was given explicitly, by a versioned schema or a plan.
  package var hasExplicitVersion: Bool { isVersioned || planType != nil }

  /// Returns whether a model of some version belongs to this store: unless it, or a superclass, belongs to another
  /// store.
  package func contains(_ layout: _ModelLayout) -> Bool {
    !layout.ancestry.contains { entitiesInOtherStores.contains($0.entityName) }
  }
}
