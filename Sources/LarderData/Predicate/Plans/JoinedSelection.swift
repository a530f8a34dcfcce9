/// A predicate's condition for a statement that reads rows and joins to them what their to-ones lead to.
///
/// A list of rows, as ``PredicatePlan/whereSQL`` has it, can stand in any statement; but the database fills a table with it
/// first, and finds each row once more. For the few rows of one related object, found by an index, that costs almost half as
/// much again as finding them. Where no index leads to such an object it is the other way about: a database that joins may go through all
/// rows and look for the object of each, and for a list it goes through the objects.
struct JoinedSelection {
  /// What follows the model's own table.
  let joins: String
  let condition: String
  let slots: [ParameterSlot]
  /// The parameters that must not be nil: with those that are, the list has a part of its own.
  let presentParameters: [Int]

  /// Nil where no index leads to the objects that are joined, and where a part may fail: then the list says in which order
  /// parts are evaluated.
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

  /// The same in other words.
  func rewritten(_ rewriting: (String) -> String) -> JoinedSelection {
    JoinedSelection(
      joins: rewriting(joins), condition: rewriting(condition), slots: slots, presentParameters: presentParameters)
  }
}
