/// The parts of an expression's shape that are not in its type: key paths, operators, and the equality of variables.
struct ShapeChecks {
  /// The key paths, compared by address.
  private var keyPaths: [(offset: Int, address: UnsafeRawPointer)] = []
  /// The key paths, retained so that no other key path can get one of their addresses.
  private var retained: [AnyKeyPath] = []
  var bytes: [(offset: Int, byte: UInt8)] = []
  var sameVariables: [(Int, Int)] = []

  mutating func add(_ keyPath: AnyKeyPath, at offset: Int) {
    keyPaths.append((offset, ExpressionMemory.address(of: keyPath)))
    retained.append(keyPath)
  }

  /// Returns whether an expression of the same type has the same shape.
  ///
  /// - Parameter comparingKeyPaths: Whether to compare newly created key paths, for example appended ones, by value. That
  ///   takes longer than comparing their addresses.
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
