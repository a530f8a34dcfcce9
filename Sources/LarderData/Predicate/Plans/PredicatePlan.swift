package import Foundation
package import LarderSQLite
import LarderSupport
import Synchronization

/// A plan for predicates of one shape: the SQL, the offsets of captured values, and the evaluation of pending objects.
///
/// ```swift
/// let plan = try cache.plan(for: predicate.expression, layout)
/// let statement = try connection.statement(for: "SELECT … WHERE \(plan.whereSQL)")
/// try plan.bind(predicate.expression, to: statement)
/// ```
package final class PredicatePlan {
  /// The condition, with parameters numbered from 1.
  package let whereSQL: String
  /// The properties that the predicate reads, by ``_ModelLayout/bit(_:)``.
  package let mask: _PropertyMask
  /// An equality of one property with a captured value that is necessary for each match; nil where the predicate has none.
  package let equality: PredicateEquality?
  /// Whether the predicate consists of ``equality`` only.
  package let isExactlyEquality: Bool
  /// The parameter with the ID of the only row that can match.
  private let rowIDParameter: Int?
  /// The hash look-up of pending objects that can match; nil where each must be evaluated.
  let lookup: PendingLookup?
  /// The number of the condition's parameters.
  package var parameterCount: Int { slots.count }

  /// Whether the database evaluates the whole predicate, so that Swift need not evaluate each row.
  package let isWholeSQL: Bool
  /// The columns that the rest of the predicate reads, by their indexes in the layout.
  package let residualColumns: [Int]

  // Each access reads or writes one reference.
  /// The query for whole rows, cached by the context that owns this plan.
  @exclusivity(unchecked) package var rowsQuery: PreparedQuery?
  /// The query that joins tables, and leaves the order to the caller.
  @exclusivity(unchecked) package var unorderedRowsQuery: PreparedQuery?

  /// The condition for a statement that may join tables; nil where there is nothing to join.
  let joined: JoinedSelection?

  /// The predicate, in the order of evaluation.
  let term: Term
  /// The part without SQL, evaluated for the rows that match the rest.
  private let residual: Term?
  private let locals: Int
  let isReusable: Bool
  /// An ID that is unique in the process: an address is reused after a plan is released.
  let id = PredicatePlan.nextID.add(1, ordering: .relaxed).newValue
  private static let nextID = Atomic<Int>(0)
  private let sqlTerm: Term
  /// The related objects.
  let related: [RelatedSource]
  /// Whether the part for Swift follows relationships, so that it is evaluated on objects and not on rows.
  let residualFollowsRelations: Bool
  private let layout: _ModelLayout
  private let checks: ShapeChecks
  private let sources: [ParameterSource]
  /// The parameters that may fail to be computed.
  private let fallibleParameters: [Int]
  private let slots: [ParameterSlot]

  convenience init(
    _ expression: any StandardPredicateExpression<Bool>, _ layout: _ModelLayout,
    identifierResolver rows: IdentifierResolver? = nil,
    readingMemory: Bool = true, rewriting: ((String) -> String)? = nil
  ) throws {
    var lowering = Lowering(layout: layout, identifierResolver: rows)
    let term = try lowering.lower(expression, at: readingMemory ? 0 : nil)
    let room = StackSpace.minimum + term.height * StackSpace.perLevel
    let (draft, lookup) = try StackSpace.with(atLeast: room) {
      var draft = try PlanDraft(term, lowering, rewriting)
      if !draft.canEvaluateConstants(expression) {
        draft = try PlanDraft(term, lowering, rewriting, foldsConstants: false)
      }
      return (draft, PendingLookup(draft.partition.ordered, layout))
    }
    self.init(draft, lowering, lookup)
  }

  private init(_ draft: PlanDraft, _ lowering: Lowering, _ lookup: PendingLookup?) {
    self.lookup = lookup
    let parts = draft.partition
    term = parts.ordered
    residual = parts.residual
    isWholeSQL = parts.residual == nil
    residualFollowsRelations = draft.residualFollowsRelations
    residualColumns = draft.residualColumns
    whereSQL = draft.text
    sqlTerm = parts.sql
    slots = draft.slots
    joined = draft.joined
    related = lowering.related
    sources = draft.sources
    fallibleParameters = draft.fallibleParameters
    mask = lowering.mask
    locals = lowering.localCount
    checks = lowering.checks
    isReusable = lowering.isReusable
    layout = lowering.layout
    let conjuncts = parts.sql.conjuncts
    equality = conjuncts.lazy.compactMap { [layout] in PredicateEquality($0, layout) }.first
    rowIDParameter = conjuncts.lazy.compactMap(\.rowIDParameter).first
    isExactlyEquality = equality != nil && conjuncts.count == 1 && parts.residual == nil
  }

  /// Returns the condition for a statement with other parameters before it.
  package func whereSQL(numberedFrom first: Int) -> String {
    var writer = SQLWriter(
      SQLiteDialect(), columns: layout.columns, table: layout.entityName, tableName: layout.tableName,
      related: related, firstParameter: first)
    // The condition is not deeper than SQLite's parser allows.
    return writer.writeCondition(sqlTerm)
  }

  /// Returns whether an expression of the same type has this shape, and its constant parts can be computed.
  func fits(_ memory: ExpressionMemory, comparingKeyPaths: Bool = false) -> Bool {
    guard isReusable, checks.match(memory, comparingKeyPaths: comparingKeyPaths) else { return false }
    return fallibleParameters.isEmpty || fallibleParameters.allSatisfy { (try? sources[$0].load(memory)) != nil }
  }

  /// Binds the values that an expression captured.
  ///
  /// - Parameter first: The number of the first parameter, as in ``whereSQL(numberedFrom:)``.
  package func bind(
    _ expression: any StandardPredicateExpression<Bool>, to statement: Statement, from first: Int32 = 1
  ) throws {
    try ExpressionMemory.with(expression) { try bind($0, to: statement, from: first) }
  }

  /// Binds the values for ``joined``.
  func bindJoined(_ expression: any StandardPredicateExpression<Bool>, to statement: Statement) throws {
    guard let joined else { return }
    try ExpressionMemory.with(expression) { try bind($0, to: statement, from: 1, joined.slots) }
  }

  /// Returns whether an expression captured the values that ``joined`` requires.
  func canJoin(_ expression: any StandardPredicateExpression<Bool>) throws -> Bool {
    guard let joined else { return false }
    if joined.presentParameters.isEmpty { return true }
    return try ExpressionMemory.with(expression) { memory in
      try joined.presentParameters.allSatisfy { try sources[$0].load(memory) != .scalar(.null) }
    }
  }

  func bind(_ memory: ExpressionMemory, to statement: Statement, from first: Int32) throws {
    try bind(memory, to: statement, from: first, slots)
  }

  private func bind(
    _ memory: ExpressionMemory, to statement: Statement, from first: Int32, _ slots: [ParameterSlot]
  ) throws {
    var index = first
    for slot in slots {
      // Accesses one closure of the source only: copying the pair from the list would count references to each.
      if slot.role == .prefixUpperBound {
        if case .scalar(.text(let prefix)) = try sources[slot.parameter].load(memory) {
          PrefixUpperBound.bind(prefix, to: statement, index)
        }
      } else {
        try sources[slot.parameter].bind(memory, statement, index)
      }
      index += 1
    }
  }

  /// Returns the values that an expression captured, for ``matches(_:parameters:)``.
  package func parameterValues(_ expression: any StandardPredicateExpression<Bool>) throws -> [ParameterValue] {
    try ExpressionMemory.with(expression) { memory in try sources.map { try $0.load(memory) } }
  }

  /// Returns the same values in the order of the condition's parameters.
  func boundValues(_ expression: any StandardPredicateExpression<Bool>) throws -> [ParameterValue] {
    let values = try parameterValues(expression)
    return slots.map { values[$0.parameter] }
  }

  /// Returns a captured value.
  func load(_ parameter: Int, _ memory: ExpressionMemory) throws -> ParameterValue {
    try sources[parameter].load(memory)
  }

  /// Returns the row of an identifier that the predicate captured; nil where it selects no row by identifier.
  func rowID(_ expression: any StandardPredicateExpression<Bool>) throws -> _StoredValue? {
    guard let rowIDParameter else { return nil }
    guard case .scalar(let key) = try ExpressionMemory.with(expression, sources[rowIDParameter].load) else {
      return nil
    }
    return key
  }

  /// Returns the value of ``equality``.
  package func equalityValue(_ expression: any StandardPredicateExpression<Bool>) throws -> _StoredValue? {
    guard let equality else { return nil }
    let value = try ExpressionMemory.with(expression) { try sources[equality.parameter].load($0) }
    guard case .scalar(let stored) = value else { return nil }
    return stored
  }

  /// Returns whether an object with unsaved changes matches.
  ///
  /// - Parameter value: Returns the stored form of a column, by its index in ``_ModelLayout/columns``, or the row ID for
  ///   ``Evaluator/rowIDReference``.
  package func matches(_ value: (Int) throws -> _StoredValue, parameters: [ParameterValue]) throws -> Bool {
    try isTrue(term, value, parameters, isWholeSQL ? nil : EvaluationScratch(locals: locals))
  }

  /// Returns the same for a predicate that follows relationships.
  func matches(_ related: some RelatedObjectSource, parameters: [ParameterValue]) throws -> Bool {
    let workspace = isWholeSQL ? nil : EvaluationScratch(locals: locals)
    return try Evaluator(value: related.value, parameters: parameters, scratch: workspace, related: related)
      .withStackSpace(for: term) { try $0.isTrue(term) }
  }

  /// Returns a test of the rest of the predicate, for rows that match the SQL.
  func residualTest(_ expression: any StandardPredicateExpression<Bool>) throws -> RowTest? {
    guard let residual else { return nil }
    let (parameters, workspace) = (try parameterValues(expression), EvaluationScratch(locals: locals))
    return { value in
      workspace.reset()
      return try self.isTrue(residual, value, parameters, workspace)
    }
  }

  /// A test of a row, which receives the stored forms of its columns.
  typealias RowTest = ((Int) throws -> _StoredValue) throws -> Bool

  private func isTrue(
    _ term: Term, _ value: (Int) throws -> _StoredValue, _ parameters: [ParameterValue], _ workspace: EvaluationScratch?
  ) throws -> Bool {
    try withoutActuallyEscaping(value) { value in
      try Evaluator(value: value, parameters: parameters, scratch: workspace).withStackSpace(for: term) {
        try $0.isTrue(term)
      }
    }
  }
}

/// `property == captured`, for a property of one column.
package struct PredicateEquality: Equatable, Sendable {
  /// The property's index in ``_ModelLayout/properties``.
  package let property: Int
  /// The column's index in ``_ModelLayout/columns``.
  package let column: Int
  /// The captured value's index in ``PredicatePlan/parameterValues(_:)``.
  package let parameter: Int

  init?(_ term: Term, _ layout: _ModelLayout) {
    guard case .equal(let left, let right) = term.operation else { return nil }
    switch (left.operation, right.operation) {
    case (.column(let column), .parameter(let parameter)), (.parameter(let parameter), .column(let column)):
      guard ColumnReference.source(column) == 0, !ColumnReference.isRowID(column) else { return nil }
      let property = layout.properties[layout.columns[column].property]
      guard property.columns.count == 1 else { return nil }
      self.property = property.index
      self.column = column
      self.parameter = parameter
    default: return nil
    }
  }
}
