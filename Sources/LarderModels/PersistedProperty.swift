// What `@Model` adds to properties. None of these is written by hand. The forms without arguments are there because
// Apple declares them; storage is a member of the class, which `@Model` writes, since each role is a question more to
// the plug-in for each property.

@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "LarderMacros", type: "PersistedPropertyMacro")

/// The form that `@Model` writes: with the property's place among the model's persisted properties, and whether its
/// type is plainly a standard scalar; and whether the class may have a superclass.
@attached(accessor, names: named(init), named(get), named(set))
public macro _PersistedProperty(_index: Int, _scalar: Bool, _mayInherit: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "PersistedPropertyMacro")

@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "LarderMacros", type: "TransformablePersistedPropertyMacro")

/// The form that `@Model` writes.
@attached(accessor, names: named(init), named(get), named(set))
public macro _TransformablePersistedProperty(_index: Int, _mayInherit: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "TransformablePersistedPropertyMacro")
