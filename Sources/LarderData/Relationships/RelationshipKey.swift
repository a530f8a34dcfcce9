/// A relationship of an object.
package struct RelationshipKey: Hashable {
  let object: ObjectIdentifier
  let property: Int

  init(_ model: any PersistentModel, _ property: Int) {
    object = ObjectIdentifier(model)
    self.property = property
  }
}
