import LarderData

/// Adds a container to an actor, and a context that the actor's isolation protects.
///
/// ```swift
/// @ModelActor
/// actor TripStore {
///   func rename(_ id: PersistentIdentifier, to name: String) throws {
///     self[id, as: Trip.self]?.name = name
///     try modelContext.save()
///   }
/// }
///
/// let store = TripStore(modelContainer: container)
/// ```
///
/// An actor with an initializer of its own assigns `modelContainer` and `modelExecutor` in it, or calls the generated
/// `self.init(modelContainer:)`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "LarderMacros", type: "PersistentModelActorMacro")
