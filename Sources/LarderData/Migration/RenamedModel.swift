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
/// The former name counts only where a store has no entity of the model's own name.
public protocol RenamedModel: PersistentModel {
  /// The entity's name in the earlier version.
  static var originalEntityName: String { get }
}
