/// The versions of a program's models, and how a store gets from one to the next.
///
/// ```swift
/// enum TripsPlan: SchemaMigrationPlan {
///   static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
///   static var stages: [MigrationStage] { [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)] }
/// }
/// ```
///
/// A container that is given one takes the stages from the version that its store has to the last one, in one transaction.
/// See <doc:Migrations>.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions. Their numbers say which comes first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// How to get from each version to the next.
  static var stages: [MigrationStage] { get }
}

/// A step from one version of the models to the next.
public enum MigrationStage: Sendable {
  /// A step that the store can take by itself.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A step with work of the program's own before and after.
  ///
  /// `willMigrate` has a context of the models of `fromVersion`, `didMigrate` one of those of `toVersion`, with
  /// ``ModelContext/previousContext()`` beside it. What a context has not saved in the end is saved. What they throw is thrown
  /// by the container, and the store is as it was.
  @preconcurrency
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (_ context: ModelContext) throws -> Void)?)
}
