// Long lists are looked through as the words that their references are: going by references, each is retained and
// released, which was most of what a change of a long list took. The arrays hold the objects meanwhile, and nothing is
// kept of the words.

/// Where an object stands in a list, sought from both of its ends: what comes and goes one by one mostly does so there.
@inlinable
public func _$place<Value: PersistentModel>(of object: any PersistentModel, in list: [Value]) -> Int? {
  let word = UnsafeRawPointer(Unmanaged.passUnretained(object as AnyObject).toOpaque())
  return list._$words { words in
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
public func _$areSame<Value: PersistentModel>(_ left: [Value], _ right: [Value]) -> Bool {
  left._$words { left in right._$words { right in left.elementsEqual(right) } }
}

/// What a list has in it that another, shorter by one, has not, if that is all the difference.
@inlinable
public func _$surplus<Value: PersistentModel>(of long: [Value], over short: [Value]) -> Value? {
  guard long.count == short.count + 1 else { return nil }
  let place: Int? = long._$words { long in
    short._$words { short in
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
  func _$words<Result>(_ body: (UnsafeBufferPointer<UnsafeRawPointer>) -> Result) -> Result {
    // A reference to an object of a class is one word, its address.
    withUnsafeBytes { body($0.assumingMemoryBound(to: UnsafeRawPointer.self)) }
  }
}

/// The question whether an object is in a to-many, whatever its type.
public final class _ListSearch {
  public let object: any PersistentModel
  public internal(set) var isFound = false
  /// How many places the list has.
  package private(set) var places = 0

  init(_ object: any PersistentModel) { self.object = object }

  public func _$look<Value: PersistentModel>(in list: [Value]) {
    places = list.count
    isFound = LarderData._$place(of: object, in: list) != nil
  }
}

/// The rows of the objects in a to-many, whatever its type.
public final class _ListRows {
  public internal(set) var rows: [Int64]?

  init() {}

  public func _$note<Value: PersistentModel>(_ list: [Value]) { rows = list.map { $0._$header.pointee.rowID } }
}

extension PersistentModel {
  /// The rows of the objects in a to-many; nil where it is not in memory.
  func rows(in property: Int) -> [Int64]? {
    let list = _ListRows()
    _$change(property, .rows(list))
    return list.rows
  }

  /// Whether a to-many that is in memory has an object in it.
  func holds(_ object: any PersistentModel, in property: Int) -> Bool {
    let search = _ListSearch(object)
    _$change(property, .search(search))
    return search.isFound
  }
}
