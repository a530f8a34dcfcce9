import LarderData

extension MigrationStage {
  var willMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, let work, _) = self { work } else { nil }
  }

  var didMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, _, let work) = self { work } else { nil }
  }
}
