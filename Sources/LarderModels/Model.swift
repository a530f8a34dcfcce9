import LarderData

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
  // With `Observable` among them the compiler (6.3) crashes on a file that first mentions a model by the initializer of a
  // class that inherits from another: that conformance of the superclass is not known yet.
  member, conformances: PersistentModel,
  // The storage of each property is among them.
  names: arbitrary)
@attached(memberAttribute)
// `Observable` comes with `PersistentModel`.
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "LarderMacros", type: "PersistentModelMacro")
