/// What holds the value of a property whose type may be a model's, or a list of models.
///
/// An object that goes lets go of those that it alone holds, these of theirs, and so on. Each would end within the end of
/// the one before it, and a chain of many thousands would take all of the stack. So the end of this storage, which cannot be
/// copied and goes with its object, is the work of `DeferredDeallocation`.
///
/// `@Model` puts one into the class for each such property.
@frozen
public struct _ValueStorage<Value>: ~Copyable {
  /// The property's value, or none before the property has been set.
  public var stored: Stored

  /// The value by itself, so that it can end before the storage does.
  @frozen
  public struct Stored: ~Copyable {
    /// nil where there is none.
    public var value: Value?

    @inlinable init(_ value: Value?) { self.value = value }
  }

  @inlinable public init(_ value: Value) { stored = Stored(value) }
  @inlinable public init() { stored = Stored(nil) }

  @inlinable
  deinit {
    guard _ValueStorage.mayContainReference(stored.value) else { return }
    DeferredDeallocation.release(stored)
  }
}

extension _ValueStorage {
  /// Whether a value may be a model or a list of them: a reference, and not nil. The first two of the conditions are decided
  /// when a model is compiled.
  @inlinable
  @inline(__always)
  static func mayContainReference(_ value: borrowing Value?) -> Bool {
    guard !_isPOD(Value.self), MemoryLayout<Value?>.size == MemoryLayout<UInt>.size else { return false }
    return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: UInt.self) > maximumNilBits }
  }

  /// The cases of optionals without a value are numbers below that of the first page, where no object can be.
  @inlinable static var maximumNilBits: UInt { 4_095 }
}
