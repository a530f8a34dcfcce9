/// A constraint over several properties of a model, whichever model it is.
package protocol ModelConstraint: SchemaProperty {
  /// The key paths of each constraint, without their model's type.
  var erasedConstraints: [[AnyKeyPath]] { get }
}

/// The indices of a model, whichever model it is.
package protocol ModelIndices: ModelConstraint {
  /// For each of `erasedConstraints`, whether it is an R-tree.
  var erasedIsRTree: [Bool] { get }
}
