public import Foundation

// Larder's own API.

/// The age and the size up to which a store keeps its history.
///
/// ```swift
/// var configuration = ModelConfiguration("Trips")
/// configuration.historyRetention = HistoryRetention(age: 7 * 86_400, size: 16 * 1_048_576)
/// ```
///
/// A store keeps at least this much. Every 64th save, and each save of at least a 64th of the size, deletes older or excess
/// transactions: the oldest first, a few hundred at a time. Fetching the history after a token from before a deleted
/// transaction then throws ``SwiftDataError/historyTokenExpired``.
///
/// If several containers of a process set different values for a store, the longer retention applies. If several processes do,
/// the shorter one applies.
public struct HistoryRetention: Hashable, Sendable {
  /// The time in seconds for which a transaction is kept; `nil` or NaN for no limit.
  public var age: TimeInterval?
  /// The size in bytes up to which the history may grow, counting the recorded changes; `nil` for no limit. A small transaction
  /// takes about three times as much in the file.
  public var size: Int?

  /// Creates a retention.
  ///
  /// - Parameters:
  ///   - age: The time in seconds for which a transaction is kept; `nil` for no limit. The default is 30 days.
  ///   - size: The size in bytes up to which the history may grow; `nil` for no limit. The default is 64 MiB.
  public init(age: TimeInterval? = 30 * 86_400, size: Int? = 64 * 1_048_576) {
    self.age = age
    self.size = size
  }

  /// A retention without limits: only the program deletes transactions.
  public static let unlimited = HistoryRetention(age: nil, size: nil)
}

extension HistoryRetention {
  /// The age in seconds, or `nil` if there is no limit.
  var maximumAge: TimeInterval? { age.flatMap { $0.isNaN ? nil : $0 } }

  /// Returns the longer of two retentions.
  func maximum(with other: HistoryRetention) -> HistoryRetention {
    HistoryRetention(
      age: maximumAge.flatMap { one in other.maximumAge.map { max(one, $0) } },
      size: size.flatMap { one in other.size.map { max(one, $0) } })
  }
}
