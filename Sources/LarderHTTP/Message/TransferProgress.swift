/// The progress of a body's transfer.
public struct TransferProgress: Sendable, Equatable {
  /// The number of bytes so far, as they are sent or received: compressed, if the body is compressed.
  public var bytes: Int64
  /// The total number of bytes, if it is known.
  public var total: Int64?

  /// Creates a progress.
  public init(bytes: Int64, total: Int64? = nil) {
    self.bytes = bytes
    self.total = total
  }

  /// The progress from 0 to 1, if the total is known.
  public var fraction: Double? { total.map { $0 > 0 ? min(1, Double(bytes) / Double($0)) : 1 } }
}
