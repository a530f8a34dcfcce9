/// Objects of a history, which does not hold them by this.
struct WeakPieces {
  private struct Piece {
    let id: Int
    weak var object: AnyObject?
  }

  private var all: [Piece] = []

  mutating func note(_ id: Int, _ object: AnyObject) { all.append(Piece(id: id, object: object)) }
  /// The numbers of those that are still there.
  var left: Set<Int> { Set(all.filter { $0.object != nil }.map(\.id)) }
}
