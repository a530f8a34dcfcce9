public import Foundation

// Beyond Apple's API.

/// How much of its history a store keeps.
///
/// ```swift
/// var configuration = ModelConfiguration("Trips")
/// configuration.historyRetention = HistoryRetention(age: 7 * 86_400, size: 16 * 1_048_576)
/// ```
///
/// At least so much: what is older, or more, goes with every 64th save, and with each that is a 64th of the size or more, the
/// oldest first, a few hundred transactions at a time. Whoever asks for what follows a token from before that gets ``SwiftDataError/historyTokenExpired``.
///
/// Where containers of one process differ about a store the longer one holds, and where processes do, the shorter.
public struct HistoryRetention: Hashable, Sendable {
  /// How long a transaction is kept, in seconds; nil, or what is no number, for as long as there is room.
  public var age: TimeInterval?
  /// How large the history may grow, in bytes of what it says of changes; nil for no limit. A small transaction takes
  /// about three times as much in the file.
  public var size: Int?

  /// - Parameters:
  ///   - age: How long a transaction is kept, in seconds.
  ///   - size: How large the history may grow, in bytes.
  public init(age: TimeInterval? = 30 * 86_400, size: Int? = 64 * 1_048_576) {
    self.age = age
    self.size = size
  }

  /// Nothing goes unless the program deletes it.
  public static let unlimited = HistoryRetention(age: nil, size: nil)
}

extension HistoryRetention {
  /// The age that nothing is kept above; nil where there is none.
  var maximumAge: TimeInterval? { age.flatMap { $0.isNaN ? nil : $0 } }

  /// The longer of two.
  func maximum(with other: HistoryRetention) -> HistoryRetention {
    HistoryRetention(
      age: maximumAge.flatMap { one in other.maximumAge.map { max(one, $0) } },
      size: size.flatMap { one in other.size.map { max(one, $0) } })
  }
}
