extension Int64 {
  /// A count with what it is of, for people: `1 row`, `2 rows`.
  package func pluralized(_ one: String) -> String { self == 1 ? "1 \(one)" : "\(self) \(one)s" }
}
