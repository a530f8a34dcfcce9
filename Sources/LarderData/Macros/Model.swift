import Observation

/// Makes a class persistent: each stored `var` becomes an attribute or a relationship of an entity of the class's name.
///
/// ```swift
/// @Model
/// class Trip {
///   @Attribute(.unique) var remoteID: String
///   var name: String
///   var start: Date
///   @Transient var isSelected = false
///
///   init(remoteID: String, name: String, start: Date) {
///     self.remoteID = remoteID
///     self.name = name
///     self.start = start
///   }
/// }
/// ```
///
/// Properties may have any `Codable` type; computed properties, `let`s and those marked ``Transient()`` stay out of the
/// store. A class whose properties all have values to begin with needs no initializer.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$h), named(_$base), named(_$own), named(_$layout), named(_$keyPaths), named(_$header), named(_$bind),
  named(_$assign), named(_$load),
  named(_$insertAll), named(_$updateAll), named(_$key), named(_$relation), named(_$change), named(_$backingData),
  named(persistentBackingData), named(schemaMetadata), named(init), named(_$observationRegistrar),
  named(_SwiftDataNoType), named(access), named(withMutation))
@attached(memberAttribute)
// `Observable` comes with `PersistentModel`.
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "LarderMacros", type: "PersistentModelMacro")
