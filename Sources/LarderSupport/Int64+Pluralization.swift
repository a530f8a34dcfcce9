extension Int64 {
  /// Returns a count with its noun, for messages: `1 row`, `2 rows`.
  package func pluralized(_ one: String) -> String { self == 1 ? "1 \(one)" : "\(self) \(one)s" }
}
