import LarderData

/// Gives an actor a container, and a context of its own that the actor's isolation guards.
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
/// An actor with an initializer of its own assigns `modelContainer` and `modelExecutor` there, or calls
/// `self.init(modelContainer:)`, which is then generated.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "LarderMacros", type: "PersistentModelActorMacro")
