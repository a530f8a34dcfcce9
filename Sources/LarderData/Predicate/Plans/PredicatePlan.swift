package import Foundation
package import LarderSQLite
import LarderSupport
import Synchronization

/// A predicate of one shape, ready to run: its SQL, where the captured values lie, and how pending objects are asked.
///
/// ```swift
/// let plan = try cache.find(predicate.expression, layout)
/// let statement = try connection.statement(for: "SELECT … WHERE \(plan.whereSQL)")
/// try plan.bind(predicate.expression, to: statement)
/// ```
package final class PredicatePlan {
  /// The condition, with parameters numbered from 1.
  package let whereSQL: String
  /// The properties that the predicate reads, by ``_ModelLayout/bit(_:)``.
  package let mask: _PropertyMask
  /// An equality of one property with a captured value that holds for each object that matches; nil where the
  /// predicate says no such thing.
  package let equality: PredicateEquality?
  /// Whether ``equality`` is all that the predicate says.
  package let isExactlyEquality: Bool
  /// The parameter that is the key of the only row that can match.
  private let rowIDParameter: Int?
  /// By what pending objects are found that can match; nil where each must be asked.
  let lookup: PendingLookup?
  /// How many parameters the condition has.
  package var parameterCount: Int { slots.count }

  /// Whether the database answers the predicate whole, and nothing is left to be asked of each row in Swift.
  package let isWholeSQL: Bool
  /// The columns, by their places in the layout, that the rest of the predicate reads.
  package let residualColumns: [Int]

  // A reference is read or written.
  /// The query for whole rows, kept by the context whose plan this is.
  @exclusivity(unchecked) package var rowsQuery: PreparedQuery?
  /// The one that joins tables, and leaves the order to whoever asks.
  @exclusivity(unchecked) package var unorderedRowsQuery: PreparedQuery?

  /// The condition for a statement that may join tables; nil where that would be none.
  let joined: JoinedSelection?

  /// The predicate, in the order in which its parts are evaluated.
  let term: Term
  /// What SQL cannot say, to be asked of the rows that meet the rest.
  private let residual: Term?
  private let locals: Int
  let isReusable: Bool
  /// Unlike that of any other plan of the process: an address is used again once a plan has gone.
  let id = PredicatePlan.nextID.add(1, ordering: .relaxed).newValue
  private static let nextID = Atomic<Int>(0)
  private let sqlTerm: Term
  /// The objects that its relationships lead to.
  let related: [RelatedSource]
  /// Whether what is left for Swift follows relationships, so that it is asked of objects and not of rows.
  let residualFollowsRelations: Bool
  private let layout: _ModelLayout
  private let checks: ShapeChecks
  private let sources: [ParameterSource]
  /// Those that may fail to be computed.
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

  /// The condition for a statement that has other parameters before.
  package func whereSQL(numberedFrom first: Int) -> String {
    var writer = SQLWriter(
      SQLiteDialect(), columns: layout.columns, table: layout.entityName, tableName: layout.tableName,
      related: related, firstParameter: first)
    // What the database is asked is no deeper than its parser goes.
    return writer.writeCondition(sqlTerm)
  }

  /// Whether an expression of the same type has this shape too, and what is computed of its captured values can be.
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

  /// Binds the same for ``joined``.
  func bindJoined(_ expression: any StandardPredicateExpression<Bool>, to statement: Statement) throws {
    guard let joined else { return }
    try ExpressionMemory.with(expression) { try bind($0, to: statement, from: 1, joined.slots) }
  }

  /// Whether an expression captured the values that ``joined`` cannot do without.
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
      // One closure of a source, and not both: to take the pair out of the list would count references to each.
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

  /// The values that an expression captured, for ``matches(_:parameters:)``.
  package func parameterValues(_ expression: any StandardPredicateExpression<Bool>) throws -> [ParameterValue] {
    try ExpressionMemory.with(expression) { memory in try sources.map { try $0.load(memory) } }
  }

  /// The same values in the order of the condition's parameters.
  func boundValues(_ expression: any StandardPredicateExpression<Bool>) throws -> [ParameterValue] {
    let values = try parameterValues(expression)
    return slots.map { values[$0.parameter] }
  }

  /// A captured value.
  func load(_ parameter: Int, _ memory: ExpressionMemory) throws -> ParameterValue {
    try sources[parameter].load(memory)
  }

  /// The row that an identifier captured by the predicate names; nil where it asks for none.
  func rowID(_ expression: any StandardPredicateExpression<Bool>) throws -> _StoredValue? {
    guard let rowIDParameter else { return nil }
    guard case .scalar(let key) = try ExpressionMemory.with(expression, sources[rowIDParameter].load) else {
      return nil
    }
    return key
  }

  /// The value that ``equality`` asks for.
  package func equalityValue(_ expression: any StandardPredicateExpression<Bool>) throws -> _StoredValue? {
    guard let equality else { return nil }
    let value = try ExpressionMemory.with(expression) { try sources[equality.parameter].load($0) }
    guard case .scalar(let stored) = value else { return nil }
    return stored
  }

  /// Whether an object that isn't stored as it is matches.
  ///
  /// - Parameter value: The stored form of a column, by its place in ``_ModelLayout/columns``, or the row's identifier
  ///   for ``Evaluator/rowIDReference``.
  package func matches(_ value: (Int) throws -> _StoredValue, parameters: [ParameterValue]) throws -> Bool {
    try isTrue(term, value, parameters, isWholeSQL ? nil : EvaluationScratch(locals: locals))
  }

  /// The same for a predicate that follows relationships.
  func matches(_ related: RelatedObjects, parameters: [ParameterValue]) throws -> Bool {
    let workspace = isWholeSQL ? nil : EvaluationScratch(locals: locals)
    return try Evaluator(value: related.value, parameters: parameters, scratch: workspace, related: related)
      .withStackSpace(for: term) { try $0.isTrue(term) }
  }

  /// What asks rows that meet the SQL for the rest of the predicate.
  func residualTest(_ expression: any StandardPredicateExpression<Bool>) throws -> RowTest? {
    guard let residual else { return nil }
    let (parameters, workspace) = (try parameterValues(expression), EvaluationScratch(locals: locals))
    return { value in
      workspace.reset()
      return try self.isTrue(residual, value, parameters, workspace)
    }
  }

  /// Asks a row, whose columns' stored forms it is given.
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
  /// The property's place in ``_ModelLayout/properties``.
  package let property: Int
  /// The column's place in ``_ModelLayout/columns``.
  package let column: Int
  /// The captured value's place in ``PredicatePlan/parameterValues(_:)``.
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
