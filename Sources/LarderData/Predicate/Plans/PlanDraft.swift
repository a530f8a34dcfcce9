import Foundation
import LarderSupport

/// A predicate's term with its text, and what of it the database is asked.
struct PlanDraft {
  let partition: PredicatePartition
  let text: String
  let slots: [ParameterSlot]
  let joined: JoinedSelection?
  let sources: [ParameterSource]
  /// The sources that may fail to be computed.
  let fallibleParameters: [Int]
  let residualColumns: [Int]
  let residualFollowsRelations: Bool

  /// - Parameter bindsParts: Whether what does not depend on the object is computed before, and bound.
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
      // What the database could not read is asked in Swift.
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

  /// Whether what is computed before can be, of the values that an expression captured.
  func canEvaluateConstants(_ expression: any StandardPredicateExpression<Bool>) -> Bool {
    if fallibleParameters.isEmpty { return true }
    return ExpressionMemory.with(expression) { memory in
      fallibleParameters.allSatisfy { (try? sources[$0].load(memory)) != nil }
    }
  }
}

/// What a statement has room for.
private struct StatementBudget {
  /// 900 kB of the megabyte that a connection takes (`Settings.maximumSQLLength`): the rest is for columns and order.
  private var bytes = 900_000
  /// 30,000 of the 32,766 that SQLite has unless it was built otherwise.
  private var parameters = 30_000
  /// 60 of the 64 tables that SQLite joins.
  private static let maximumJoins = 60
  /// What joining parts adds to the depth of each: an AND or two, and their parentheses.
  private static let joinDepth = 20
  private let hasTooManyJoins: Bool

  init(_ related: [RelatedSource]) {
    hasTooManyJoins = related.lazy.filter { !$0.isElement }.count > StatementBudget.maximumJoins
  }

  /// Takes a condition in, if there is room for it.
  ///
  /// - Parameter isAlone: Whether there is nothing else, and it is not taken in.
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
