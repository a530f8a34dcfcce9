import LarderData

/// Makes a class persistent: each stored `var` becomes an attribute or a relationship of an entity with the class's name.
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
/// Properties may have any `Codable` type. Computed properties, properties marked ``Transient()``, and each `let` are not stored.
/// (In
/// language mode 5 a `let` without an initial value is stored, with a compiler warning.) A class whose properties all have initial
/// values needs no initializer.
@attached(
  // With `Observable` among them the compiler (6.3) crashes on a file that first mentions a model by the initializer of a
  // subclass: the superclass's conformance is not known yet.
  member, conformances: PersistentModel,
  // Each by its name: if a macro may declare any name, the compiler finds the class's operators twice.
  names: named(init), named(schemaMetadata), named(persistentBackingData), named(access), named(withMutation),
  named(`_$headerStorage`), named(`_$header`), named(`_$offset`), named(`_$ownLayout`), named(`_$layout`),
  named(`_$keyPaths`),
  named(`_$bind`), named(`_$assign`), named(`_$load`), named(`_$insertAll`), named(`_$updateAll`),
  named(`_$foreignKey`),
  named(`_$relationshipValue`), named(`_$applyChange`), named(`_$equals`))
@attached(memberAttribute)
// `PersistentModel` includes `Observable`.
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "LarderMacros", type: "PersistentModelMacro")
