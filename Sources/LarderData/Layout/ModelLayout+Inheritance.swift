extension _ModelLayout {
  /// Returns the layout of a class's superclass, if that is a model.
  static func superclass(of type: any PersistentModel.Type) -> _ModelLayout? {
    (_getSuperclass(type) as? any PersistentModel.Type)?._$layout
  }

  /// The layout of the topmost class.
  package var root: _ModelLayout {
    var layout = self
    while let base = layout.base { layout = base }
    return layout
  }

  /// The name of the table: a hierarchy has one table, named after its topmost class.
  package var tableName: String { root.entityName }

  /// The layouts of the superclasses and of this class, from the topmost down.
  package var ancestry: [_ModelLayout] { (base?.ancestry ?? []) + [self] }

  /// Returns whether this class is the other class or a subclass of it.
  package func inherits(from other: _ModelLayout) -> Bool {
    var layout: _ModelLayout? = self
    while let current = layout {
      if current === other { return true }
      layout = current.base
    }
    return false
  }

  /// Returns the layout of the class that declares a property.
  package func declaringLayout(of property: Int) -> _ModelLayout {
    var layout = self
    while let base = layout.base, property < base.properties.count { layout = base }
    return layout
  }

  /// Returns the number of superclasses of the class that declares a property.
  func declaringDepth(of property: Int) -> Int { declaringLayout(of: property).depth }

  /// The columns that are not inherited.
  package var noninheritedColumns: ArraySlice<ColumnLayout> { columns.dropFirst(base?.columns.count ?? 0) }
  /// The properties that are not inherited.
  package var noninheritedProperties: ArraySlice<PropertyLayout> { properties.dropFirst(base?.properties.count ?? 0) }
  /// The relationships that are not inherited.
  package var noninheritedRelations: [RelationshipLayout] {
    relationships.filter { $0.property >= base?.properties.count ?? 0 }
  }

  /// Returns whether an object is an instance of this class or a subclass.
  package func isInstance(_ object: AnyObject) -> Bool {
    func open<Model: PersistentModel>(_: Model.Type) -> Bool { object is Model }
    return open(self.type)
  }
}
