/// A constraint over several properties of a model, without the model's type.
package protocol ModelConstraint: SchemaProperty {
  /// The key paths of each constraint, without their model's type.
  var erasedConstraints: [[AnyKeyPath]] { get }
}

/// The indexes of a model, without the model's type.
package protocol ModelIndices: ModelConstraint {
  /// Whether each of `erasedConstraints` is an R-tree.
  var erasedIsRTree: [Bool] { get }
}
