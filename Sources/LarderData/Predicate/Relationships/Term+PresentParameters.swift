extension Term {
  /// The same condition for when the captured values are not nil that it compares attributes of related objects with;
  /// nil where there are none.
  ///
  /// Then nothing matches where there is no related object, and a database may begin with those objects. Equality with
  /// what may be nil does not let it.
  var withPresentParameters: (term: Term, parameters: [Int])? {
    var parameters: [Int] = []
    let parts = conjuncts.map { part in
      guard case .equal(let left, let right) = part.operation else { return part }
      guard let parameter = right.parameterFor(left) ?? left.parameterFor(right) else { return part }
      parameters.append(parameter)
      return .condition(.equal(left.present, right.present))
    }
    return parameters.isEmpty ? nil : (.all(parts), parameters)
  }

  /// The parameter that this is, where the other is an attribute of a related object.
  private func parameterFor(_ other: Term) -> Int? {
    guard case .parameter(let parameter) = operation, isOptional, case .column(let place) = other.operation,
      ColumnReference.source(place) > 0
    else { return nil }
    return parameter
  }

  private var present: Term { Term(operation, kind) }
}
