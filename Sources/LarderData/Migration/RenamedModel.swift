// Beyond Apple's API.

/// A model whose class had another name in an earlier version of the program, so that it keeps its objects.
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
/// The original name is used only if a store has no entity with the model's current name. Without a migration plan,
/// opening a store with both fails while the original entity has rows, which would not be read. It also fails for
/// models that exchange their names.
public protocol RenamedModel: PersistentModel {
  /// The entity's name in the earlier version.
  static var originalEntityName: String { get }
}
