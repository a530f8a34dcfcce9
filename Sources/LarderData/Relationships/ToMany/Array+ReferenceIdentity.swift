// Long lists are searched as the machine words of their references: a search by references retains and releases each one,
// which was most of the time of a change of a long list. The arrays hold the objects meanwhile, and no word is kept.

/// Returns the index of an object in a list, searched from both ends: objects that come and go one by one mostly do so there.
@inlinable
public func _$index<Value: PersistentModel>(of object: any PersistentModel, in list: [Value]) -> Int? {
  let word = UnsafeRawPointer(Unmanaged.passUnretained(object as AnyObject).toOpaque())
  return list._$withUnsafeAddresses { words in
    var (first, last) = (0, words.count - 1)
    while first <= last {
      if words[last] == word { return last }
      if words[first] == word { return first }
      first += 1
      last -= 1
    }
    return nil
  }
}

/// Returns whether two lists have the same objects in the same order.
@inlinable
public func _$areIdentical<Value: PersistentModel>(_ left: [Value], _ right: [Value]) -> Bool {
  left._$withUnsafeAddresses { left in right._$withUnsafeAddresses { right in left.elementsEqual(right) } }
}

/// Returns the object that a list contains and another, shorter by one, does not, if that is the only difference.
@inlinable
public func _$singleInsertion<Value: PersistentModel>(in long: [Value], over short: [Value]) -> Value? {
  guard long.count == short.count + 1 else { return nil }
  let place: Int? = long._$withUnsafeAddresses { long in
    short._$withUnsafeAddresses { short in
      var place = 0
      while place < short.count, long[place] == short[place] { place += 1 }
      let isAll = long[(place + 1)...].elementsEqual(short[place...])
      return isAll && !short.contains(long[place]) ? place : nil
    }
  }
  return place.map { long[$0] }
}

extension Array where Element: PersistentModel {
  @inlinable
  func _$withUnsafeAddresses<Result>(_ body: (UnsafeBufferPointer<UnsafeRawPointer>) -> Result) -> Result {
    // A reference to an object of a class is one word, its address.
    withUnsafeBytes { body($0.assumingMemoryBound(to: UnsafeRawPointer.self)) }
  }
}

/// A query whether an object is in a to-many, whatever its type.
public final class _MemberSearch {
  public let object: any PersistentModel
  public internal(set) var isFound = false
  /// The number of elements of the list.
  package private(set) var scannedCount = 0

  init(_ object: any PersistentModel) { self.object = object }

  public func _$search<Value: PersistentModel>(in list: [Value]) {
    scannedCount = list.count
    isFound = LarderData._$index(of: object, in: list) != nil
  }
}

/// The row IDs of the objects in a to-many, whatever its type.
public final class _MemberRowIDs {
  public internal(set) var rowIDs: [Int64]?

  init() {}

  public func _$record<Value: PersistentModel>(_ list: [Value]) { rowIDs = list.map { $0._$header.pointee.rowID } }
}

extension PersistentModel {
  /// Returns the row IDs of the objects in a to-many; `nil` if it is not in memory.
  func memberRowIDs(of property: Int) -> [Int64]? {
    let list = _MemberRowIDs()
    _$applyChange(property, .readRowIDs(list))
    return list.rowIDs
  }

  /// Returns whether a to-many in memory contains an object.
  func hasMember(_ object: any PersistentModel, in property: Int) -> Bool {
    let search = _MemberSearch(object)
    _$applyChange(property, .search(search))
    return search.isFound
  }
}
