public import Foundation

/// What a data store answers to a request that it cannot serve as it stands.
public enum DataStoreError: Error, Hashable {
  /// The store doesn't do this at all.
  case unsupportedFeature
  /// The store would rather have the context filter in memory.
  case preferInMemoryFilter
  /// The store would rather have the context sort in memory.
  case preferInMemorySort
  /// The predicate is none that the store understands.
  case invalidPredicate
}

extension DataStoreError: LocalizedError {
  /// What happened and what to do about it.
  public var errorDescription: String? {
    switch self {
    case .unsupportedFeature:
      "The data store doesn't offer this. Use a store that does, or do without."
    case .preferInMemoryFilter:
      "The data store leaves this filter to memory. Fetch without the predicate and filter the result."
    case .preferInMemorySort:
      "The data store leaves this order to memory. Fetch without sort descriptors and sort the result."
    case .invalidPredicate:
      "The data store doesn't understand the predicate. Write it with persisted properties and simple comparisons."
    }
  }
}
