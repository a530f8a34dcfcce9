/// A loader that reads a captured value from the expression of the current query.
struct CaptureLoader<Value> {
  /// The offset of the value in the expression's memory, if it can be read there directly.
  let offset: Int?
  private let compute: (ExpressionMemory) throws -> Value

  init(offset: Int) {
    self.offset = offset
    compute = { $0.load(at: offset, as: Value.self) }
  }

  init(_ compute: @escaping (ExpressionMemory) throws -> Value) {
    offset = nil
    self.compute = compute
  }

  func callAsFunction(_ memory: ExpressionMemory) throws -> Value { try compute(memory) }

  func map<Other>(_ transform: @escaping (Value) throws -> Other) -> CaptureLoader<Other> {
    CaptureLoader<Other> { [compute] in try transform(compute($0)) }
  }
}
