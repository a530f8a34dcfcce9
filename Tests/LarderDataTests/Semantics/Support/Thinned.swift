import LarderData

extension Collection {
  /// All of a test's cases; where SQLite stores are used by the requests of a `DataStore` (`LARDER_STORES=protocols`), every so
  /// many: there and under the address sanitizer, which is the same run, each takes ten to twenty times as
  /// long.
  ///
  /// - Parameter turn: With another number other ones are left.
  func thinned(toOneOf part: Int, turn: Int = 0) -> [Element] {
    guard StoreOptions().usesDataStores else { return Array(self) }
    return enumerated().filter { ($0.offset + turn).isMultiple(of: part) }.map(\.element)
  }
}
