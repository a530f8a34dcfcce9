import Synchronization

@_spi(Measuring)
extension ModelContainer {
  /// Whether saves are recorded in the history of the container's stores.
  ///
  /// For benchmarks that measure both cases. Otherwise every store has a history.
  public var larderRecordsHistory: Bool {
    get { core.stores.allSatisfy { $0.store.recordsHistory.load(ordering: .relaxed) } }
    set { for one in core.stores { one.store.recordsHistory.store(newValue, ordering: .relaxed) } }
  }
}
