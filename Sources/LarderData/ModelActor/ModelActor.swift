/// An actor with its own context.
///
/// The `@ModelActor` macro creates the conformance:
///
/// ```swift
/// @ModelActor
/// actor Importer {
///   func rename(_ id: PersistentIdentifier, to name: String) throws {
///     guard let trip = self[id, as: Trip.self] else { return }
///     trip.name = name
///     try modelContext.save()
///   }
/// }
/// ```
public protocol ModelActor: Actor {
  /// The container that the actor reads and writes.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's code; it holds the actor's context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor on which the actor runs: its `modelExecutor`.
  nonisolated public var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("\(Self.self).modelExecutor must be a SerialModelExecutor to run an actor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's own context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// Returns the actor's instance of a model that another actor has sent by identifier; `nil` if there is no such row.
  public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
    modelContext.model(id, as: T.self)
  }
}
