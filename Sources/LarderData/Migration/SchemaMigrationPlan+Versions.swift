extension MigrationStage {
  package var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to): (from, to)
    case .custom(let from, let to, _, _): (from, to)
    }
  }
}

extension SchemaMigrationPlan {
  /// The versions that the plan lists, and those at both ends of its stages.
  package static var versions: [any VersionedSchema.Type] {
    var seen: Set<ObjectIdentifier> = []
    return (schemas + stages.flatMap { [$0.versions.from, $0.versions.to] }).filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// Returns the version to which a container's store is migrated: that of its models if the plan has it, and otherwise
  /// the newest one.
  package static func target(for version: Schema.Version, isVersioned: Bool) -> Schema.Version? {
    let known = versions.map { $0.versionIdentifier }
    return isVersioned && known.contains(version) ? version : known.max()
  }
}

extension MigrationConfiguration {
  package init(
    version: Schema.Version, isVersioned: Bool, plan: (any SchemaMigrationPlan.Type)?, options: MigrationOptions
  ) {
    self.init(
      version: version, isVersioned: isVersioned, planType: plan,
      newestVersion: plan?.target(for: version, isVersioned: isVersioned) ?? version, options: options)
  }

  /// The program's migration plan.
  package var plan: (any SchemaMigrationPlan.Type)? { planType as? any SchemaMigrationPlan.Type }

  func limited(to part: StoreAssignment.Entry, of plan: StoreAssignment) -> MigrationConfiguration {
    var models = self
    let own = Set(part.layouts.map(\.entityName))
    models.entitiesInOtherStores = Set(plan.entries.flatMap(\.layouts).map(\.entityName)).subtracting(own)
    return models
  }
}
