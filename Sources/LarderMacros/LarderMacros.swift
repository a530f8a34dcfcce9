import SwiftSyntaxMacros

/// Every macro of the package, by the name in its `#externalMacro`.
var larderMacros: [any Macro.Type] {
  [
    PersistentModelMacro.self,
    PersistedPropertyMacro.self,
    TransformablePersistedPropertyMacro.self,
    AttributePropertyMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
    IndexMacro.self,
    PersistentModelActorMacro.self,
    JSONReadableMacro.self,
    JSONDateMacro.self,
  ]
}
