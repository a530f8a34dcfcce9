public import LarderData

/// Declares properties of a model, single or combined, whose values are unique among its objects.
///
/// ```swift
/// @Model class Quake {
///   #Unique<Quake>([\.code], [\.network, \.number])
/// ```
///
/// An insert with the values of a stored object updates that object at the save (an upsert).
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "LarderMacros", type: "UniqueConstraintsMacro") where T: PersistentModel

/// Declares indexes on properties of a model.
///
/// ```swift
/// @Model class Quake {
///   #Index<Quake>([\.time], [\.magnitude, \.time])
/// ```
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "LarderMacros", type: "IndexMacro") where T: PersistentModel

/// Declares indexes of specified kinds on properties of a model.
///
/// ```swift
/// @Model class Quake {
///   #Index<Quake>(.binary([\.time]), .rtree([\.latitude, \.longitude]))
/// ```
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "LarderMacros", type: "IndexMacro") where T: PersistentModel
