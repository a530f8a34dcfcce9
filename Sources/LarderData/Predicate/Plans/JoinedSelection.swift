/// A predicate's condition for a statement that reads rows and joins the objects of their to-one relationships.
///
/// A list of row IDs, as in ``PredicatePlan/whereSQL``, can be used in any statement. But SQLite fills a table with it
/// first, and looks up each row once more. For the few rows of one related object, found by an index, this costs almost
/// half as much again as finding them. If no index finds such an object, the opposite is true: with a join SQLite may scan
/// all rows and look up the object of each, and for a list it scans the objects.
struct JoinedSelection {
  /// The text after the model's own table.
  let joins: String
  let condition: String
  let slots: [ParameterSlot]
  /// The parameters that must not be nil: the list has a separate part for nil.
  let presentParameters: [Int]

  /// Creates a selection; nil where no index finds the joined objects, and where a part may fail: then the list determines
  /// the order of evaluation.
  init?<Dialect: SQLDialect>(_ term: Term, _ writer: SQLWriter<Dialect>) {
    let likely = term.withPresentParameters
    let condition = likely?.term ?? term
    let found = condition.conjuncts.compactMap { IndexAdvice.objectFoundByIndex($0, writer.related) }
    guard !found.isEmpty else { return nil }
    var writer = writer
    guard let text = writer.writeJoinedCondition(condition, objects: found) else { return nil }
    joins = text.joins
    self.condition = text.condition
    slots = writer.slots
    presentParameters = likely?.parameters ?? []
  }

  private init(joins: String, condition: String, slots: [ParameterSlot], presentParameters: [Int]) {
    self.joins = joins
    self.condition = condition
    self.slots = slots
    self.presentParameters = presentParameters
  }

  /// Returns the selection with rewritten SQL.
  func rewritten(_ rewriting: (String) -> String) -> JoinedSelection {
    JoinedSelection(
      joins: rewriting(joins), condition: rewriting(condition), slots: slots, presentParameters: presentParameters)
  }
}
