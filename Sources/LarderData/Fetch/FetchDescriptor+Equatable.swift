import Foundation

extension FetchDescriptor: Equatable {
  /// Returns whether both descriptors request the same: the same condition with the same captured values, the same order,
  /// limits and options.
  ///
  /// Predicates that are written differently in the source but mean the same are unequal.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && areSame(left.predicate, right.predicate)
  }

  private static func areSame(_ left: Predicate<T>?, _ right: Predicate<T>?) -> Bool {
    switch (left, right) {
    case (nil, nil): return true
    case (let left?, let right?):
      if let answer = PredicatePlan.areSame(left.expression, right.expression, T._$layout) { return answer }
      // A predicate without SQL is never fetched. Foundation cannot print every expression, and stops the program.
      return ExpressionMemory.isSame(left.expression, right.expression)
    default: return false
    }
  }
}
