@_spi(Measuring)
extension ModelContext {
  /// Whether the context keeps its read transaction between fetches; if not, each fetch begins its own.
  ///
  /// For benchmarks, which measure both modes: contexts keep the transaction briefly by default.
  public var larderRetainsReadTransaction: Bool {
    get { core.sessions.allSatisfy(\.retainsSnapshot) }
    set { for session in core.sessions { session.retainsSnapshot = newValue } }
  }
}
