/// The value of a term in the evaluator.
enum EvaluatedValue {
  /// A scalar in its stored form, or nil.
  case stored(_StoredValue)
  /// A value that no column can hold; never an Optional.
  case swift(Any)

  static var null: EvaluatedValue { .stored(.null) }

  var isNull: Bool {
    if case .stored(.null) = self { true } else { false }
  }
}

/// A Swift function without an equivalent in SQL.
struct SwiftCall {
  let arguments: [Term]
  /// Whether the function can fail for some arguments.
  let mayFail: Bool
  let body: ([EvaluatedValue]) throws -> EvaluatedValue
}

/// An iteration over a sequence, with a test of each element.
struct SwiftIteration {
  typealias Test = (EvaluatedValue) throws -> Bool

  let sequence: Term
  /// The number by which the test accesses the element.
  let local: Int
  let test: Term
  let body: (EvaluatedValue, Test) throws -> EvaluatedValue
}

/// A reader that creates a Swift value from a property's columns.
struct StructuredValueReader {
  /// The columns' indexes in the layout.
  let columns: Range<Int>
  let read: ([_StoredValue]) throws -> EvaluatedValue

  /// Creates a reader of a property that uses the property's codec.
  ///
  /// - Parameter columns: The indexes of the property's columns.
  init<Value>(_ property: PropertyLayout, _ type: Value.Type, _ layout: _ModelLayout, _ columns: Range<Int>) {
    self.columns = columns
    // A layout has codecs of its properties' own types; another type would mean a key path of another model.
    let codec = property.codec as? _PropertyCodec<Value>
    read = { [entity = layout.entityName, name = property.name] values in
      let problems = _RowProblems()
      let row = _RowReader(source: _RowSource(values), layout: layout, problems: problems)
      guard let value = codec?.read(row, 0), problems.first == nil else {
        throw FetchError(
          .unreadableValue, entityName: entity,
          "\(entity).\(name) of some row cannot be read: \(problems.first ?? "it is no \(type)"). Correct the row, or "
            + "let the property's type accept it.")
      }
      return OptionalFlattening.flat(value)
    }
  }

  private init(columns: Range<Int>, read: @escaping ([_StoredValue]) throws -> EvaluatedValue) {
    self.columns = columns
    self.read = read
  }

  /// Returns a reader of a stored member of the value.
  func member<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> StructuredValueReader {
    StructuredValueReader(columns: columns) { [read] values in
      guard case .swift(let root) = try read(values) else { return .null }
      guard let root = root as? Root else { throw PredicateFailure.unexpectedValue }
      return OptionalFlattening.flat(root[keyPath: keyPath])
    }
  }
}

/// Unwraps optional values.
enum OptionalFlattening {
  static func flat<Value>(_ value: Value) -> EvaluatedValue {
    guard let optional = value as? any OptionalValue, Value.self is any OptionalValue.Type else { return .swift(value) }
    return wrapped(optional)
  }

  private static func wrapped<Optional: OptionalValue>(_ optional: Optional) -> EvaluatedValue {
    optional.wrappedValue.map { .swift($0) } ?? .null
  }
}
