/// A row of a model, whichever of the classes that share its table it is asked for by.
struct RowPlace: Hashable {
  let layout: Int
  let row: Int64

  init(_ state: EntityState, _ row: Int64) {
    layout = state.root.layout.id
    self.row = row
  }
}
