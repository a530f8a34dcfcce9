internal import CLarderData

/// Compares models by their class's own `==`, or by their rows where the class has none.
///
/// A macro cannot know whether an extension declares `==`, and the compiler does not take an operator of the class for
/// that of a conformance that a macro writes (it finds it twice). So the generated conformance names this function, and
/// gives it `==` as the class's own code would call it. Where the class has no operator of its own that is the
/// conformance's again: the same two models come back here at once.
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
