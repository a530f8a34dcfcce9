public import Dispatch
import Foundation

/// An actor with a context of its own. Made by `@ModelActor`:
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
  nonisolated var modelContainer: ModelContainer { get }
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The actor runs where its executor says.
  nonisolated public var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("\(Self.self).modelExecutor must be a SerialModelExecutor to run an actor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's own context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The actor's instance of a model that another actor knows by its identifier; nil if there is no such row.
  public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
    modelContext.model(id, as: T.self)
  }
}

/// Where a model actor's work runs, and the context that it works in.
public protocol ModelExecutor: Executor {
  var modelContext: ModelContext { get }
}

/// A model executor that runs one piece of work at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs a model actor on a queue of its own, wherever the actor was made.
// @unchecked: the context is used by the queue's work alone.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "larder.model-actor", autoreleaseFrequency: .workItem)

  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Whether the current code runs on the queue: for `assumeIsolated` and `preconditionIsolated`.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
