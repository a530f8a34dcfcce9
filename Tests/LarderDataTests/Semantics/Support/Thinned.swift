import LarderData

extension Collection {
  /// All of a test's cases; where SQLite stores are used by the requests of a `DataStore` (`LARDER_STORES=protocols`), every so
  /// many: for a test that goes through some hundred combinations, all of which run in SQLite stores.
  ///
  /// - Parameter turn: With another number other ones are left.
  func thinned(toOneOf part: Int, turn: Int = 0) -> [Element] {
    guard StoreOptions().usesDataStores else { return Array(self) }
    return enumerated().filter { ($0.offset + turn).isMultiple(of: part) }.map(\.element)
  }
}
