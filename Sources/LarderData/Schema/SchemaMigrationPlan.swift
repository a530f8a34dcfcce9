/// The versions of a program's models, and the stages that migrate a store from one version to the next.
///
/// ```swift
/// enum TripsPlan: SchemaMigrationPlan {
///   static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
///   static var stages: [MigrationStage] { [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)] }
/// }
/// ```
///
/// A container with a plan runs the stages from the version of its store to the last version, in one transaction.
/// See <doc:Migrations>.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions. Their numbers determine the order.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages, one from each version to the next.
  static var stages: [MigrationStage] { get }
}

/// A migration from one version of the models to the next.
public enum MigrationStage: Sendable {
  /// A migration that the store can perform without the program's help.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A migration that runs the program's own code before and after.
  ///
  /// `willMigrate` receives a context with the models of `fromVersion`, `didMigrate` a context with those of `toVersion`; its
  /// ``ModelContext/previousContext()`` has the old models. Unsaved changes of a context are saved at the end. If a closure
  /// throws, the container throws the same error, and the store is unchanged.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?)
}
