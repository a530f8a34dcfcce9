import Foundation
import LarderSupport

/// Converts an expression to a ``Term``, and records the data with which a plan serves other expressions of the same shape.
struct Lowering {
  let layout: _ModelLayout
  /// The resolver of identifiers; nil without a store.
  let identifierResolver: IdentifierResolver?
  private(set) var parameters: [ParameterSource] = []
  private(set) var checks = ShapeChecks()
  /// The properties that the predicate reads.
  var mask: _PropertyMask = 0
  /// The related objects, from number 1 on.
  var related: [RelatedSource] = []
  /// Whether the plan can be reused. It can't if a part's offset in memory is unknown, so that its value is in the plan
  /// itself.
  var isReusable = true

  /// The number of iterations, each of which stores an element.
  private(set) var localCount = 0

  private var variables: [PredicateExpressions.VariableID: Binding] = [:]
  private var rootVariableOffset: Int?
  /// The depth of the expression that is being lowered.
  private var depth = 0
  /// The numbers of the to-many relationships whose elements are being tested.
  private var openCollections: Set<Int> = []

  private struct Binding {
    var term: Term
    var offset: Int?
  }

  init(layout: _ModelLayout, identifierResolver rows: IdentifierResolver?) {
    self.layout = layout
    self.identifierResolver = rows
  }

  // MARK: - Parts

  mutating func lower<Part: PredicateExpression>(_ part: Part, at offset: Int?) throws -> Term {
    // A part is copied to the stack once or twice here.
    let room = StackSpace.minimum + Lowering.copiesPerLevel * MemoryLayout<Part>.size
    if StackSpace.remaining < room {
      return try StackSpace.with(atLeast: room) { try lower(part, at: offset) }
    }
    guard depth < Lowering.maximumDepth else { throw UnsupportedPredicate.tooDeep }
    guard let part = part as? any LowerableExpression else { throw UnsupportedPredicate.expression(Part.self) }
    depth += 1
    defer { depth -= 1 }
    let term = try part.lower(&self, at: offset)
    guard term.height <= Term.maximumHeight else { throw UnsupportedPredicate.tooDeep }
    return term
  }

  private static var copiesPerLevel: Int { 8 }
  /// 4,000: one expression, or a few, create each level of a term.
  private static var maximumDepth: Int { 4_000 }

  /// Returns a loader that computes a part's value before the query runs; nil where it depends on the object.
  mutating func capture<Part: PredicateExpression>(_ part: Part, at offset: Int?) throws -> CaptureLoader<Part.Output>?
  {
    guard let lowerable = part as? any LowerableExpression<Part.Output> else { return nil }
    return try lowerable.capture(&self, at: offset)
  }

  /// Returns the offset of a node's stored property, if the node's offset is known.
  static func offset<Node>(_ node: Int?, of field: PartialKeyPath<Node>) -> Int? {
    guard let node, let field = MemoryLayout<Node>.offset(of: field) else { return nil }
    return node + field
  }

  // MARK: - Columns

  /// Returns the term of a column, and records that it is read.
  ///
  /// - Parameter index: The column's reference (see ``ColumnReference``).
  mutating func column(_ index: Int, _ kind: ValueKind, isOptional: Bool) -> Term {
    recordRead(_ModelLayout.bit(columnLayout(index).property), of: ColumnReference.source(index))
    return Term(.column(index), kind, isOptional: isOptional)
  }

  // MARK: - Captured values

  /// Returns the term of a captured value: bound if it fits one column, otherwise kept for access to its members.
  mutating func parameter<Value>(_ load: CaptureLoader<Value>) throws -> Term {
    if let range = try range(load) { return range }
    guard let coding = ScalarCoding<Value>.find(), let kind = ValueKind.of(Value.self) else {
      let captured = CapturedValue(load, parameter: addParameter(ParameterSource(evaluated: load)))
      return Term(.captured(captured), .structure, isOptional: Value.self is any OptionalValue.Type)
    }
    let number = addParameter(ParameterSource(load, coding))
    return Term(.parameter(number), kind, isOptional: Value.self is any OptionalValue.Type)
  }

  mutating func addParameter(_ source: ParameterSource) -> Int {
    parameters.append(source)
    return parameters.count - 1
  }

  // MARK: - Variables

  mutating func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to term: Term, at offset: Int?) {
    variables[variable.key] = Binding(
      term: term, offset: Lowering.offset(offset, of: \PredicateExpressions.Variable<Value>.key))
  }

  /// Binds a variable to the element of an iteration, and returns the iteration's number.
  mutating func element<Element>(
    _ variable: PredicateExpressions.Variable<Element>, _ bridge: ValueBridge<Element>, at offset: Int?
  ) -> Int {
    let local = localCount
    localCount += 1
    bind(variable, to: Term(.local(local), bridge.kind, isOptional: bridge.isOptional), at: offset)
    return local
  }

  /// Returns the term of a variable: the one that an enclosing `flatMap` has bound, or else the object.
  mutating func term<Value>(of variable: PredicateExpressions.Variable<Value>, at offset: Int?) throws -> Term {
    let use = Lowering.offset(offset, of: \PredicateExpressions.Variable<Value>.key)
    if use == nil { isReusable = false }
    guard let binding = variables[variable.key] else {
      // Each predicate has new variable IDs: only their equality belongs to the shape.
      if let use, let rootVariableOffset { checks.sameVariables.append((rootVariableOffset, use)) }
      rootVariableOffset = rootVariableOffset ?? use
      return Term(.object(0), .structure)
    }
    if let use, let bound = binding.offset {
      checks.sameVariables.append((bound, use))
    } else {
      isReusable = false
    }
    return try relowered(binding.term)
  }

  /// Lowers a test of each element of a to-many relationship.
  mutating func lower<Value, Test: PredicateExpression>(
    _ test: Test, at offset: Int?, ofEach variable: PredicateExpressions.Variable<Value>, at place: Int?,
    in collection: CollectionTerm
  ) throws -> Term {
    bind(variable, to: Term(.object(collection.source), .structure), at: place)
    openCollections.insert(collection.source)
    defer { openCollections.remove(collection.source) }
    return try lower(test, at: offset)
  }

  /// Returns the term of a variable. A to-many relationship that is iterated within itself needs separate elements.
  private mutating func relowered(_ term: Term) throws -> Term {
    guard case .collection(let collection) = term.operation, openCollections.contains(collection.source) else {
      return term
    }
    let source = related[collection.source - 1]
    guard collection.filter == nil, let relationship = source.relationship else {
      throw UnsupportedPredicate.because(
        "A filtered to-many can't be gone through within itself in a predicate. Name the relationship again inside.")
    }
    var result = self.relationship(relationship, of: source.parent)
    result.isOptional = term.isOptional
    return result
  }

  // MARK: - Values that belong to the shape

  mutating func require(_ keyPath: AnyKeyPath, at offset: Int?) {
    guard let offset else {
      isReusable = false
      return
    }
    checks.add(keyPath, at: offset)
  }

  mutating func require<Value>(byteOf value: Value, at offset: Int?) {
    guard let offset else {
      isReusable = false
      return
    }
    checks.bytes.append((offset, ExpressionMemory.byte(of: value)))
  }
}
