extension Term {
  /// The condition for the case that no captured value in a comparison with a related object's attribute is nil; nil where
  /// there is no such parameter.
  ///
  /// In this case nothing matches without a related object, and SQLite may begin with the related objects. An equality with
  /// an optional value prevents this.
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

  /// Returns the parameter that this term is, if the other is an attribute of a related object.
  private func parameterFor(_ other: Term) -> Int? {
    guard case .parameter(let parameter) = operation, isOptional, case .column(let place) = other.operation,
      ColumnReference.source(place) > 0
    else { return nil }
    return parameter
  }

  private var present: Term { Term(operation, kind) }
}
