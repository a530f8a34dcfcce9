import LarderSupport

// Beyond Apple's API.

/// A report on the values that were removed when a container was opened, and on rows that the container does not show.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// for model in container.migrationReport.unlistedModels { print(model) }  // 12 rows of Draft
/// ```
///
/// A line on standard error reports the same.
public struct MigrationReport: Sendable, Hashable {
  /// A property that the models lack, whose values were removed.
  public struct RemovedProperty: Sendable, Hashable {
    /// The class that had the property, by its name in the store.
    public let entityName: String
    /// The name of the property; for a struct that has lost one of its members, also the member: `place.country`.
    public let propertyName: String
    /// The number of rows with a value, or the number of pairs of a relationship.
    public let rows: Int

    package init(entityName: String, propertyName: String, rows: Int) {
      self.entityName = entityName
      self.propertyName = propertyName
      self.rows = rows
    }
  }

  /// A model of the store that the container does not list. Its rows stay in the store, and no fetch of the container
  /// returns them.
  public struct UnlistedModel: Sendable, Hashable {
    /// The name of the model in the store.
    public let entityName: String
    /// The number of rows; ``isExactCount`` tells whether it is exact.
    public let rows: Int
    /// Whether all rows were counted. A large table is counted up to a limit, since the program waits for it.
    public let isExactCount: Bool
  }

  /// Whether a store was migrated to the container's models when it was opened.
  public var isMigrated = false
  /// The removed properties, which none of the models has, in the order of the stores.
  public var removedProperties: [RemovedProperty] = []
  /// The models for which the stores have rows and which the container does not list, in the order of the stores.
  public var unlistedModels: [UnlistedModel] = []

  package init() {}

  mutating func merge(_ other: MigrationReport) {
    isMigrated = isMigrated || other.isMigrated
    removedProperties += other.removedProperties
    unlistedModels += other.unlistedModels
  }
}

extension MigrationReport.RemovedProperty: CustomStringConvertible {
  public var description: String { "\(entityName).\(propertyName) (\(Int64(rows).pluralized("row")))" }
}

extension MigrationReport.UnlistedModel: CustomStringConvertible {
  public var description: String {
    "\(isExactCount ? "" : "at least ")\(Int64(rows).pluralized("row")) of \(entityName)"
  }
}
