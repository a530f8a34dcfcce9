extension Duration {
  /// A year. Nobody waits for longer, and a clock that is to wake somebody at the end of a longer one stops the program: its
  /// dates have 64 bits.
  static let maximumWait = Duration.seconds(366 * 86_400)
}
