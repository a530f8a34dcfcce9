import Observation

/// A property as its observers identify it: by a key path of the class that declares it.
///
/// Accessors identify their properties by index. With key paths in the accessors, the compiler would emit one or two functions
/// for each, for code that seldom runs.
package class ObservedProperty {
  package static func make(_ keyPath: AnyKeyPath) -> ObservedProperty {
    func open<Owner: PersistentModel>(_ owner: Owner.Type) -> ObservedProperty? {
      func open<Value>(_ type: Value.Type) -> ObservedProperty? {
        (keyPath as? KeyPath<Owner, Value>).map(ObservedKeyPath.init)
      }
      return _openExistential(type(of: keyPath).valueType, do: open)
    }
    guard let owner = type(of: keyPath).rootType as? any PersistentModel.Type else { return ObservedProperty() }
    return open(owner) ?? ObservedProperty()
  }

  // A key path that is no property of a model has no observers.
  func access(_ model: any PersistentModel, _ box: _RegistrarBox) {}
  func willSet(_ model: any PersistentModel, _ box: _RegistrarBox) {}
  func didSet(_ model: any PersistentModel, _ box: _RegistrarBox) {}
}

private final class ObservedKeyPath<Owner: PersistentModel, Value>: ObservedProperty {
  private let keyPath: KeyPath<Owner, Value>

  init(_ keyPath: KeyPath<Owner, Value>) { self.keyPath = keyPath }

  // A layout is used for objects of its own class and of its subclasses, and these are objects of the owner, too.
  private func owner(_ model: any PersistentModel) -> Owner { unsafeDowncast(model, to: Owner.self) }

  override func access(_ model: any PersistentModel, _ box: _RegistrarBox) {
    box.address.pointee.access(owner(model), keyPath: keyPath)
  }
  override func willSet(_ model: any PersistentModel, _ box: _RegistrarBox) {
    box.address.pointee.willSet(owner(model), keyPath: keyPath)
  }
  override func didSet(_ model: any PersistentModel, _ box: _RegistrarBox) {
    box.address.pointee.didSet(owner(model), keyPath: keyPath)
  }
}
