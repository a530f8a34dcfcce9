// Larder's own API.

extension ModelConfiguration {
  /// The age and the size up to which the store keeps its history. The default is 30 days and 64 MiB. If several containers of a
  /// process set different values for a store, the longer retention applies.
  public var historyRetention: HistoryRetention {
    get { retention }
    set { retention = newValue }
  }
}
