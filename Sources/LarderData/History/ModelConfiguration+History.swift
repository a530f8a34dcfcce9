// Beyond Apple's API.

extension ModelConfiguration {
  /// How much of its history the store keeps: thirty days and 64 MiB, unless the program says otherwise. Where containers
  /// of one process differ about a store, the longer one holds.
  public var historyRetention: HistoryRetention {
    get { retention }
    set { retention = newValue }
  }
}
