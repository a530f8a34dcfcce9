// Long lists are looked through as the words that their references are: going by references, each is retained and
// released, which was most of what a change of a long list took. The arrays hold the objects meanwhile, and nothing is
// kept of the words.

/// Where an object stands in a list, sought from both of its ends: what comes and goes one by one mostly does so there.
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

/// Whether two lists are of the same objects in the same order.
@inlinable
public func _$areIdentical<Value: PersistentModel>(_ left: [Value], _ right: [Value]) -> Bool {
  left._$withUnsafeAddresses { left in right._$withUnsafeAddresses { right in left.elementsEqual(right) } }
}

/// What a list has in it that another, shorter by one, has not, if that is all the difference.
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

/// The question whether an object is in a to-many, whatever its type.
public final class _MemberSearch {
  public let object: any PersistentModel
  public internal(set) var isFound = false
  /// How many places the list has.
  package private(set) var scannedCount = 0

  init(_ object: any PersistentModel) { self.object = object }

  public func _$search<Value: PersistentModel>(in list: [Value]) {
    scannedCount = list.count
    isFound = LarderData._$index(of: object, in: list) != nil
  }
}

/// The rows of the objects in a to-many, whatever its type.
public final class _MemberRowIDs {
  public internal(set) var rowIDs: [Int64]?

  init() {}

  public func _$record<Value: PersistentModel>(_ list: [Value]) { rowIDs = list.map { $0._$header.pointee.rowID } }
}

extension PersistentModel {
  /// The rows of the objects in a to-many; nil where it is not in memory.
  func memberRowIDs(of property: Int) -> [Int64]? {
    let list = _MemberRowIDs()
    _$applyChange(property, .readRowIDs(list))
    return list.rowIDs
  }

  /// Whether a to-many that is in memory has an object in it.
  func hasMember(_ object: any PersistentModel, in property: Int) -> Bool {
    let search = _MemberSearch(object)
    _$applyChange(property, .search(search))
    return search.isFound
  }
}
