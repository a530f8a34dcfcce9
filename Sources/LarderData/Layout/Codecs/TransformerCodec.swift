import Foundation

/// A codec for a value whose stored form a value transformer creates: its bytes in a BLOB column.
///
/// The transformer is looked up by name at each use: a layout is created once, perhaps before the program has registered
/// its transformers.
final class TransformerCodec<Value>: _PropertyCodec<Value> {
  private let name: String

  init(_ name: String) {
    self.name = name
    super.init(
      columns: [CodecColumn(suffix: "", type: .blob, isOptional: false, form: .transformed)],
      references: ReferenceContainment.of(Value.self))
  }

  private func bytes(_ value: Value) throws(_UnstorableValue) -> Data {
    guard let transformer = ValueTransformers.named(name) else {
      throw _UnstorableValue(ValueTransformers.unknownTransformerReason(name))
    }
    switch transformer.transformedValue(value) {
    case let data as Data: return data
    case let bytes as [UInt8]: return Data(bytes)
    case nil: throw _UnstorableValue("the value transformer \"\(name)\" made nothing of it")
    case let other?:
      throw _UnstorableValue(
        "the value transformer \"\(name)\" made a \(type(of: other)) of it, and only Data can be stored")
    }
  }

  private func value(_ stored: _StoredValue, _ problems: _RowProblems) -> Value? {
    guard case .blob(let bytes) = stored else {
      problems.report("a stored \(stored.kind) is nothing that the value transformer \"\(name)\" made")
      return nil
    }
    guard let transformer = ValueTransformers.named(name) else {
      problems.report(ValueTransformers.unknownTransformerReason(name))
      return nil
    }
    if let value = transformer.reverseTransformedValue(Data(bytes)) as? Value { return value }
    problems.report("the value transformer \"\(name)\" makes no \(Value.self) of what is stored")
    return nil
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    guard let value = value(row.storedValue(column), row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  override func loadOptional(
    _ row: borrowing _RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>
  ) -> Bool {
    let stored = row.storedValue(column)
    if stored == .null {
      memory.initialize(to: nil)
      return true
    }
    guard let value = value(stored, row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) {
    do throws(_UnstorableValue) {
      binder.bind(try bytes(value.pointee))
    } catch {
      binder.reportUnstorable(error.reason, at: binder.nextIndex)
      binder.bindStored(.null)
    }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool {
    if left is any Equatable, !_$areEqual(left, right) { return false }
    guard let left = try? bytes(left), let right = try? bytes(right) else { return false }
    return left == right
  }
}

extension _AnyPropertyCodec {
  /// Returns the codec of `@Attribute(.transformable(by:))`.
  static func transformer(_ name: String, for type: any Any.Type) -> _AnyPropertyCodec? {
    if let optional = type as? any OptionalCoding.Type {
      return transformer(name, for: optional.codedType).flatMap { optional.codec(around: $0) }
    }
    func make<Value>(_ type: Value.Type) -> _AnyPropertyCodec { TransformerCodec<Value>(name) }
    return make(type)
  }
}

/// The value transformers that the program has registered.
enum ValueTransformers {
  static func named(_ name: String) -> ValueTransformer? {
    #if canImport(ObjectiveC)
      ValueTransformer(forName: NSValueTransformerName(name))
    #else
      ValueTransformer.transformer(named: name)
    #endif
  }

  static func unknownTransformerReason(_ name: String) -> String {
    "no value transformer is known by the name \"\(name)\". Call "
      + "ValueTransformer.setValueTransformer(_:forName:) first, or write .transformable(by:) with the transformer's type"
  }
}

extension _ModelLayout {
  /// The problem that keeps a model from being stored until the program has fixed it; checked whenever a store is opened.
  var transformerProblem: SwiftDataError? {
    for property in properties {
      guard let attribute = property.attribute, let name = attribute.transformerName else { continue }
      guard let transformer = ValueTransformers.named(name) else {
        return .loadIssueModelContainer.explained(
          "\(entityName).\(property.name) is .transformable, but \(ValueTransformers.unknownTransformerReason(name)).")
      }
      if !Swift.type(of: transformer).allowsReverseTransformation() {
        return .loadIssueModelContainer.explained(
          "\(entityName).\(property.name) is .transformable by \"\(name)\", which does not allow the reverse "
            + "transformation: it could be written and never read. Override allowsReverseTransformation().")
      }
    }
    return nil
  }
}
