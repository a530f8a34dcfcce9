public import Foundation

/// The error with which a data store rejects a request, or asks for a simpler one.
public enum DataStoreError: Error, Hashable {
  /// The store does not support the request.
  case unsupportedFeature
  /// The store leaves the filter to the context, which filters in memory.
  case preferInMemoryFilter
  /// The store leaves the sort order to the context, which sorts in memory.
  case preferInMemorySort
  /// The store does not support the predicate.
  case invalidPredicate
}

extension DataStoreError: LocalizedError {
  /// A description of the error and of its remedy.
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
