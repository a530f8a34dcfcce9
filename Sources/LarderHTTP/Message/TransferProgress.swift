/// How far a body has come.
public struct TransferProgress: Sendable, Equatable {
  /// Bytes so far, as they come and go over the connection: of what is compressed, compressed.
  public var bytes: Int64
  /// Bytes in all, where that is known.
  public var total: Int64?

  public init(bytes: Int64, total: Int64? = nil) {
    self.bytes = bytes
    self.total = total
  }

  /// From 0 to 1, where the whole is known.
  public var fraction: Double? { total.map { $0 > 0 ? min(1, Double(bytes) / Double($0)) : 1 } }
}
