/// Objects of a history, which does not hold them by this.
struct WeakPieces {
  private struct Piece {
    let id: Int
    weak var object: AnyObject?
  }

  private var all: [Piece] = []

  mutating func note(_ id: Int, _ object: AnyObject) { all.append(Piece(id: id, object: object)) }
  /// Says which are still there. Nobody holds them when all is done, if they do not hold each other.
  var failure: String? {
    let left = Set(all.filter { $0.object != nil }.map(\.id))
    return left.isEmpty ? nil : "\(left) are left when all is done"
  }
}
