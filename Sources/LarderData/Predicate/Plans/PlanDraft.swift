import Foundation
import LarderSupport

/// A predicate's term with its SQL, and the division between database and Swift.
struct PlanDraft {
  let partition: PredicatePartition
  let text: String
  let slots: [ParameterSlot]
  let joined: JoinedSelection?
  let sources: [ParameterSource]
  /// The sources that may fail.
  let fallibleParameters: [Int]
  let residualColumns: [Int]
  let residualFollowsRelations: Bool

  /// - Parameter bindsParts: Whether parts that do not depend on the object are computed beforehand, and bound.
  init(_ whole: Term, _ lowering: Lowering, _ rewriting: ((String) -> String)?, foldsConstants bindsParts: Bool = true)
    throws
  {
    guard whole.kind == .bool, !whole.isOptional else {
      throw UnsupportedPredicate.because("The predicate's result isn't a Bool. Compare what it gives with true.")
    }
    let captured = ConstantFolding(lowering.parameters, locals: lowering.localCount)
    let term = bindsParts ? captured.folded(whole) : whole
    if captured.sources.count > lowering.parameters.count { captured.removeUnused(keeping: term.parameters) }
    sources = captured.sources
    fallibleParameters = captured.fallibleParameters

    let layout = lowering.layout
    var parts = PredicatePartition(term)
    var writer = SQLWriter(
      SQLiteDialect(), columns: layout.columns, table: layout.entityName, tableName: layout.tableName,
      related: lowering.related)
    let fresh = writer
    var text = writer.writeCondition(parts.sql)
    var left = StatementBudget(lowering.related)
    if !left.reserve(text, writer.slots.count, parts.sql, isAlone: true) {
      // Conditions that are too large for the database are evaluated in Swift.
      parts = PredicatePartition(term) { part in
        guard part.isSQL, part.height <= ParserDepth.limit else { return false }
        var own = fresh
        let text = own.writeCondition(part)
        return left.reserve(text, own.slots.count, part)
      }
      writer = fresh
      text = writer.writeCondition(parts.sql)
    }
    self.partition = parts
    self.text = rewriting?(text) ?? text
    slots = writer.slots
    residualColumns = parts.residual?.columnsRead.inOrder() ?? []
    residualFollowsRelations = parts.residual?.followsRelations ?? false
    let selection = parts.residual == nil ? JoinedSelection(parts.sql, fresh) : nil
    joined = rewriting.map { selection?.rewritten($0) } ?? selection
  }

  /// Returns whether the constant parts can be computed from the values that an expression captured.
  func canEvaluateConstants(_ expression: any StandardPredicateExpression<Bool>) -> Bool {
    if fallibleParameters.isEmpty { return true }
    return ExpressionMemory.with(expression) { memory in
      fallibleParameters.allSatisfy { (try? sources[$0].load(memory)) != nil }
    }
  }
}

/// The remaining capacity of a statement.
private struct StatementBudget {
  /// 900 kB of the megabyte that a connection accepts (`maximumSQLLength`): the rest is for columns and order.
  private var bytes = 900_000
  /// 30,000 of the 32,766 that SQLite accepts unless it was built otherwise.
  private var parameters = 30_000
  /// 60 of the 64 tables that SQLite can join.
  private static let maximumJoins = 60
  /// 20: the depth that joining parts adds to each: an AND or two, and their parentheses.
  private static let joinDepth = 20
  private let hasTooManyJoins: Bool

  init(_ related: [RelatedSource]) {
    hasTooManyJoins = related.lazy.filter { !$0.isElement }.count > StatementBudget.maximumJoins
  }

  /// Adds a condition, if there is space for it.
  ///
  /// - Parameter isAlone: Whether this is the only condition; it is then checked but not added.
  mutating func reserve(_ text: String, _ count: Int, _ term: Term, isAlone: Bool = false) -> Bool {
    if hasTooManyJoins, term.followsRelations { return false }
    guard text.utf8.count <= bytes, count <= parameters else { return false }
    if isAlone { return !ParserDepth.isTooDeep(text) }
    guard ParserDepth.of(text) <= ParserDepth.limit - StatementBudget.joinDepth else { return false }
    bytes -= text.utf8.count
    parameters -= count
    return true
  }
}
