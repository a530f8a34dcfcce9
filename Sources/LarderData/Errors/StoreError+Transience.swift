extension StoreError {
  /// Whether the same may go well a moment later, though nobody has saved anything.
  var isTransient: Bool {
    switch code {
    case .busy, .inputOutput, .diskFull, .cannotOpen, .database: true
    default: false
    }
  }
}
