extension MigrationStage {
  package var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to): (from, to)
    case .custom(let from, let to, _, _): (from, to)
    }
  }
}

extension SchemaMigrationPlan {
  /// The versions that the plan lists, and those that its stages lead from and to.
  package static var versions: [any VersionedSchema.Type] {
    var seen: Set<ObjectIdentifier> = []
    return (schemas + stages.flatMap { [$0.versions.from, $0.versions.to] }).filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// The version to which a container's store is brought: that of its models, where the plan has it, or else the last one.
  package static func target(for version: Schema.Version, isVersioned: Bool) -> Schema.Version? {
    let known = versions.map { $0.versionIdentifier }
    return isVersioned && known.contains(version) ? version : known.max()
  }
}
