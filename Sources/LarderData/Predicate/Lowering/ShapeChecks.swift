/// What of an expression's shape is not in its type: key paths, operators, and which variables are the same.
struct ShapeChecks {
  /// Compared by address.
  private var keyPaths: [(offset: Int, address: UnsafeRawPointer)] = []
  /// Keeps the objects, so that no other key path can get one of their addresses.
  private var retained: [AnyKeyPath] = []
  var bytes: [(offset: Int, byte: UInt8)] = []
  var sameVariables: [(Int, Int)] = []

  mutating func add(_ keyPath: AnyKeyPath, at offset: Int) {
    keyPaths.append((offset, ExpressionMemory.address(of: keyPath)))
    retained.append(keyPath)
  }

  /// Whether an expression of the same type has the same shape.
  ///
  /// - Parameter comparingKeyPaths: Whether key paths that were made anew, as by appending, are compared too. That takes
  ///   longer than to compare their addresses.
  func match(_ memory: ExpressionMemory, comparingKeyPaths: Bool = false) -> Bool {
    for place in keyPaths.indices where !memory.hasObject(keyPaths[place].address, at: keyPaths[place].offset) {
      guard comparingKeyPaths, memory.load(at: keyPaths[place].offset, as: AnyKeyPath.self) == retained[place] else {
        return false
      }
    }
    for (offset, byte) in bytes where !memory.hasByte(byte, at: offset) { return false }
    for (first, second) in sameVariables where !memory.hasSameVariable(at: first, and: second) { return false }
    return true
  }
}
