public import Foundation

// Beyond Apple's API.

/// What a container does when its store has the shape of earlier models.
///
/// ```swift
/// let progress = Progress(totalUnitCount: 0)
/// let container = try ModelContainer(
///   for: Schema([Trip.self]), migrationPlan: TripsPlan.self, configurations: [ModelConfiguration(url: file)],
///   migration: MigrationOptions(duplicates: .keepLast, keepsPreviousStore: true, progress: progress))
/// ```
public struct MigrationOptions: Sendable {
  /// What becomes of rows that agree in what is to be unique from now on.
  public enum Duplicates: Sendable {
    /// The container does not open: ``StoreError/Code/duplicateValues`` names them.
    case refuse
    /// The row with the lowest identifier stays: of those that one context inserted, the first.
    case keepFirst
    /// The row with the highest identifier stays.
    case keepLast
  }

  /// What becomes of the values of a property that the models lack, where no plan says that it goes.
  public enum RemovedValues: Sendable {
    /// They go with it. ``ModelContainer/migrationReport`` and a line on standard error say which.
    case discard
    /// The container does not open: ``StoreError/Code/valueLoss`` names them, with the number of rows. What lacks a
    /// property may be an older version of the program, or a property that was renamed and does not say so.
    case refuse
  }

  /// By default they are refused. Of those that go, relationships lead to the one that stays.
  public var duplicates: Duplicates
  /// By default they are refused. Stages of a plan are not concerned: a property that the next version lacks is meant to go.
  public var removedValues: RemovedValues
  /// Whether a copy of the store as it was stays beside it, named as the store with `.former` after it, until the store
  /// was opened again, with all other stores of its container. It takes as much space as the store. A migration that fails
  /// leaves the copy of an earlier one.
  public var keepsPreviousStore: Bool
  /// Told of the rows and pairs that are written anew, every 10,000 rows and after the pairs of each relationship. Its total
  /// covers all stages and stores from the first: rows that later stages write are estimated, so units are about rows. A
  /// custom stage's own work counts as one row for each that its version has, all of them once it is done. The progress is
  /// finished when the container is open, also where nothing had to be migrated, and after a failure it is not.
  ///
  /// Cancelling it, which is noticed at once, leaves the store as it was, and the container throws `CancellationError`.
  public var progress: Progress?

  /// Makes options; without arguments they are those of a container that is given none.
  public init(
    duplicates: Duplicates = .refuse, removedValues: RemovedValues = .refuse,
    keepsPreviousStore keepsPreviousStore: Bool = false,
    progress: Progress? = nil
  ) {
    self.duplicates = duplicates
    self.removedValues = removedValues
    self.keepsPreviousStore = keepsPreviousStore
    self.progress = progress
  }
}
