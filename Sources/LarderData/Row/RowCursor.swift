public import LarderSQLite

/// The rows of a running query, each with its row ID, its version and its columns in the layout's order.
public struct _RowCursor {
  @usableFromInline let statement: Statement
  /// The classes that the rows may have; `nil` if all are of the requested class.
  @usableFromInline let classes: HierarchyRowLayout?
  /// Whether the rows come in another order than that of their row IDs, by which the objects are to be sorted.
  @usableFromInline let isUnordered: Bool

  package init(_ statement: Statement, classes: HierarchyRowLayout?, isUnordered: Bool) {
    self.statement = statement
    self.classes = classes
    self.isUnordered = isUnordered
  }
}

/// The destination of `_$load`: the address of an array of the model's type. A protocol to which classes conform without
/// being final cannot use `[Self]` there.
public struct _ModelArrayPointer {
  @usableFromInline let address: UnsafeMutableRawPointer

  @inlinable
  package init(address: UnsafeMutableRawPointer) { self.address = address }

  /// Runs the body with the address of an empty array, and returns that array.
  @inline(__always)
  package static func collect<Model: PersistentModel>(
    _ type: Model.Type, _ body: (_ModelArrayPointer) throws -> Void
  ) rethrows -> [Model] {
    var models: [Model] = []
    try withUnsafeMutablePointer(to: &models) { try body(_ModelArrayPointer(address: UnsafeMutableRawPointer($0))) }
    return models
  }
}
