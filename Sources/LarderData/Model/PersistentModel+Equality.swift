internal import CLarderData

/// Compares models by their class's own `==`, or by their rows if the class has none.
///
/// A macro cannot know whether an extension declares `==`, and the compiler does not accept an operator of the class as the
/// witness of a conformance that a macro writes (it finds it twice). So the generated conformance calls this function, and
/// passes `==` as the class's own code would call it. If the class has no operator of its own, that is the conformance's
/// again, which calls this function at once with the same two models.
public func _$equal<M: PersistentModel>(_ left: M, _ right: M, _ areEqual: @autoclosure () -> Bool) -> Bool {
  let compared = larder_compared_models()
  let former = compared.pointee
  let pair = larder_pair(
    left: Unmanaged.passUnretained(left).toOpaque(), right: Unmanaged.passUnretained(right).toOpaque())
  if former.left == pair.left, former.right == pair.right {
    compared.pointee = larder_pair()
    return left === right || left.persistentModelID == right.persistentModelID
  }
  compared.pointee = pair
  defer { compared.pointee = former }
  return areEqual()
}
