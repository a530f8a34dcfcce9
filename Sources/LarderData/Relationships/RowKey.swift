/// A row of a model, whichever of the classes that share its table it is asked for by.
struct RowKey: Hashable {
  let layoutID: Int
  let row: Int64

  init(_ tracker: _EntityTracker, _ row: Int64) {
    layoutID = tracker.root.layout.id
    self.row = row
  }
}
