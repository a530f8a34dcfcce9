/// The versions of a program's models, and how a store gets from one to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// How to get from each version to the next.
  static var stages: [MigrationStage] { get }
}

/// A step from one version of the models to the next.
public enum MigrationStage: Sendable {
  /// A step that the store can take by itself.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A step with work of the program's own before and after.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?)
}
