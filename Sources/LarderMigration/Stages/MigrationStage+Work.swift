import LarderData

extension MigrationStage {
  var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to): (from, to)
    case .custom(let from, let to, _, _): (from, to)
    }
  }

  var willMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, let work, _) = self { work } else { nil }
  }

  var didMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, _, let work) = self { work } else { nil }
  }
}
