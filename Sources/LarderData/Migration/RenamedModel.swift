// Beyond Apple's API.

/// A model whose class had another name in an earlier version of the program, so that its objects are taken over.
///
/// ```swift
/// @Model
/// class Journey {
///   @Attribute(originalName: "title") var name: String
///
///   init(name: String) { self.name = name }
/// }
///
/// extension Journey: RenamedModel {
///   static var originalEntityName: String { "Trip" }
/// }
/// ```
///
/// The former name counts only where a store has no entity of the model's own name. Without a migration plan, a store that has
/// both is refused while the former one has rows, which nobody would read; so are models that take each other's names.
public protocol RenamedModel: PersistentModel {
  /// The entity's name in the earlier version.
  static var originalEntityName: String { get }
}
