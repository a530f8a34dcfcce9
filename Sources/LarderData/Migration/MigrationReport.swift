import LarderSupport

// Beyond Apple's API.

/// What opening a container did to the values of its stores, and which rows it leaves out.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// for model in container.migrationReport.modelsLeftOut { print(model) }  // 12 rows of Draft
/// ```
///
/// A line on standard error says the same.
public struct MigrationReport: Sendable, Hashable {
  /// A property that the models lack, whose values went with it.
  public struct RemovedProperty: Sendable, Hashable {
    /// The class that had it, in the store's words.
    public let entityName: String
    /// The property; of a struct that has lost one of its members, also that: `place.country`.
    public let propertyName: String
    /// How many rows had a value, or how many pairs a relationship had.
    public let rows: Int

    package init(entityName: String, propertyName: String, rows: Int) {
      self.entityName = entityName
      self.propertyName = propertyName
      self.rows = rows
    }
  }

  /// A model of the store that is none of the container's. Its rows stay in the store, and no fetch of the container finds
  /// them.
  public struct UnlistedModel: Sendable, Hashable {
    /// The name of the model in the store.
    public let entityName: String
    /// How many rows there are; ``isExactCount`` says whether these are all.
    public let rows: Int
    /// Whether all rows were counted. A large table is counted up to a limit, since a program waits for it.
    public let isExactCount: Bool
  }

  /// Whether some store was brought to the container's models just now.
  public var isMigrated = false
  /// What went because no property of the models has it, in the order of the stores.
  public var removedProperties: [RemovedProperty] = []
  /// What the stores have rows of and the container has no model for, in the order of the stores.
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

extension ModelContainer {
  /// What opening this container did to the values of its stores, and which rows it leaves out.
  public var migrationReport: MigrationReport { core.migrationReport }
}
