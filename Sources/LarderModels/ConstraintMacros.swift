public import LarderData

/// Says which properties of a model, each alone or several together, no two of its objects share.
///
/// ```swift
/// @Model class Quake {
///   #Unique<Quake>([\.code], [\.network, \.number])
/// ```
///
/// An insert that meets a stored object with the same values updates that object when it is saved.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "LarderMacros", type: "UniqueConstraintsMacro") where T: PersistentModel

/// Says which properties of a model the store keeps an index of.
///
/// ```swift
/// @Model class Quake {
///   #Index<Quake>([\.time], [\.magnitude, \.time])
/// ```
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "LarderMacros", type: "IndexMacro") where T: PersistentModel

/// Says which properties of a model the store keeps an index of, and of which kind.
///
/// ```swift
/// @Model class Quake {
///   #Index<Quake>(.binary([\.time]), .rtree([\.latitude, \.longitude]))
/// ```
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "LarderMacros", type: "IndexMacro") where T: PersistentModel
