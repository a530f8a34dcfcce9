import Synchronization

@_spi(Measuring)
extension ModelContainer {
  /// Whether saves are written into the history of the container's stores.
  ///
  /// For benchmarks, which measure both: every store has a history.
  public var larderRecordsHistory: Bool {
    get { core.stores.allSatisfy { $0.store.recordsHistory.load(ordering: .relaxed) } }
    set { for one in core.stores { one.store.recordsHistory.store(newValue, ordering: .relaxed) } }
  }
}
