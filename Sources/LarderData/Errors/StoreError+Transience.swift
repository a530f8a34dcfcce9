extension StoreError {
  /// Whether a retry may succeed a moment later, although no save has changed the store.
  var isTransient: Bool {
    switch code {
    case .busy, .inputOutput, .diskFull, .cannotOpen, .database: true
    default: false
    }
  }
}
