extension Duration {
  /// A year. No caller waits longer, and a clock traps for the end of a much longer wait: its dates have 64 bits.
  static let maximumWait = Duration.seconds(366 * 86_400)
}
