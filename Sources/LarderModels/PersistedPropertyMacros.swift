// The macros that `@Model` adds to properties: accessors, and the storage as a peer. They are never written by hand. The forms
// without arguments exist because Apple declares them.

@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "LarderMacros", type: "PersistedPropertyMacro")

/// The form that `@Model` writes, with the property's index among the model's persisted properties, whether its type is
/// syntactically a standard scalar, and whether the class may have a superclass.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), suffixed(`_$key`))
public macro _PersistedProperty(_index: Int, _scalar: Bool, _mayInherit: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "PersistedPropertyMacro")

@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "LarderMacros", type: "TransformablePersistedPropertyMacro")

/// The form that `@Model` writes.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), suffixed(`_$key`))
public macro _TransformablePersistedProperty(_index: Int, _mayInherit: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "TransformablePersistedPropertyMacro")
