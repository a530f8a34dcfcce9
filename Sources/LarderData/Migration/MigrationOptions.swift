public import Foundation

// Beyond Apple's API.

/// Options for opening a container whose store was created by earlier models.
///
/// ```swift
/// let progress = Progress(totalUnitCount: 0)
/// let container = try ModelContainer(
///   for: Schema([Trip.self]), migrationPlan: TripsPlan.self, configurations: [ModelConfiguration(url: file)],
///   migration: MigrationOptions(duplicates: .keepLast, keepsPreviousStore: true, progress: progress))
/// ```
public struct MigrationOptions: Sendable {
  /// The handling of rows that violate a new uniqueness constraint.
  public enum Duplicates: Sendable {
    /// The container does not open: it throws ``StoreError/Code/duplicateValues``, which names the rows.
    case refuse
    /// The row with the lowest identifier is kept: among rows that one context inserted, the first.
    case keepFirst
    /// The row with the highest identifier is kept.
    case keepLast
  }

  /// The handling of the values of a property that the models lack, if no plan removes it.
  public enum RemovedValues: Sendable {
    /// The values are removed. ``ModelContainer/migrationReport`` and a line on standard error list them.
    case discard
    /// The container does not open: it throws ``StoreError/Code/valueLoss``, which names the properties with the number
    /// of rows. The program may be an older version, or a property may have been renamed without declaring its original
    /// name.
    case refuse
  }

  /// The handling of duplicate rows; they are refused by default. If a row is removed, relationships to it are
  /// redirected to the row that is kept.
  public var duplicates: Duplicates
  /// The handling of removed properties; they are discarded by default. Stages of a plan are not affected: a property
  /// that the next version lacks is meant to be removed.
  public var removedValues: RemovedValues
  /// Whether a copy of the store before the migration is kept next to it, named as the store with `.former` appended,
  /// until the store was opened again, with all other stores of its container. It takes as much space as the store. A
  /// migration that fails leaves the copy of an earlier one.
  public var keepsPreviousStore: Bool
  /// Counts the rows and pairs that are written, every 10,000 rows and after the pairs of each relationship. Its total
  /// covers all stages and stores from the beginning: rows of later stages are estimated, so units are only
  /// approximately rows. A custom stage's closure counts as one row for each row of its version, all at its end. The
  /// progress is finished when the container is open, also if nothing had to be migrated; after a failure it is not.
  ///
  /// Cancelling it takes effect at once and leaves the store unchanged; the container throws `CancellationError`.
  public var progress: Progress?

  /// Creates options. The defaults are those of a container without options.
  public init(
    duplicates: Duplicates = .refuse, removedValues: RemovedValues = .refuse,
    keepsPreviousStore: Bool = false,
    progress: Progress? = nil
  ) {
    self.duplicates = duplicates
    self.removedValues = removedValues
    self.keepsPreviousStore = keepsPreviousStore
    self.progress = progress
  }
}
