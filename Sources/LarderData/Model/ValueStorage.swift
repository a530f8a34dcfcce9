/// The storage of a property whose type may be a model, or a list of models.
///
/// A released object releases the objects that it alone holds, these release theirs, and so on. Each release would be nested in
/// the previous one, and a chain of many thousands would exhaust the stack. So `DeferredDeallocation` releases the value of
/// this storage, which cannot be copied and is destroyed with its object.
///
/// `@Model` adds one to the class for each such property.
@frozen
public struct _ValueStorage<Value>: ~Copyable {
  /// The property's value, or none before the property was set.
  public var stored: Stored

  /// The value alone, so that it can be released before the storage.
  @frozen
  public struct Stored: ~Copyable {
    /// The value; `nil` if there is none.
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
  /// Returns whether a value may be a model or a list of models: a reference, and not `nil`. The first two conditions are
  /// evaluated when a model is compiled.
  @inlinable
  @inline(__always)
  static func mayContainReference(_ value: borrowing Value?) -> Bool {
    guard !_isPOD(Value.self), MemoryLayout<Value?>.size == MemoryLayout<UInt>.size else { return false }
    return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: UInt.self) > maximumNilBits }
  }

  /// The bit patterns of `nil` cases are numbers below the end of the first page, where no object can be.
  @inlinable static var maximumNilBits: UInt { 4_095 }
}
