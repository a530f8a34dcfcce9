/// The models of one version of a program, with a version number.
///
/// ```swift
/// enum TripsV2: VersionedSchema {
///   static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
///   static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
/// }
/// ```
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}
