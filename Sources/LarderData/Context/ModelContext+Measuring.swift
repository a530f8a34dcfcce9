@_spi(Measuring)
extension ModelContext {
  /// Whether the context keeps its read transaction between fetches; each fetch has its own if not.
  ///
  /// For benchmarks, which measure both: contexts keep it, for a moment, by themselves.
  public var larderRetainsReadTransaction: Bool {
    get { core.sessions.allSatisfy(\.retainsSnapshot) }
    set { for session in core.sessions { session.retainsSnapshot = newValue } }
  }
}
