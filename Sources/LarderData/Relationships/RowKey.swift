/// A row of a model, whichever of the classes that share its table the caller names.
struct RowKey: Hashable {
  let layoutID: Int
  let row: Int64
}
