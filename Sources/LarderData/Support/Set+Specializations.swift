// The everyday operations of the sets that are in most use: compiled once.
//
// An optimised build compiles each file by itself, and with it a copy of every operation of the standard library that the
// file uses, for each element type: growing, copying and rehashing a set of strings were 28 copies of five functions. These
// overloads are more specific than the library's, so the compiler picks them wherever code calls `insert`. This is not
// slower: the library's functions are not inlined into their callers either.

extension Set<String> {
  init(_ members: [String]) { self = genericSet(of: members) }
  init(_ members: some Sequence<String>) { self = genericSet(of: Array(members)) }

  func contains(_ member: String) -> Bool { genericContains(member, in: self) }

  @discardableResult
  mutating func insert(_ member: String) -> (inserted: Bool, memberAfterInsert: String) {
    genericInsert(member, into: &self)
  }

  @discardableResult
  mutating func remove(_ member: String) -> String? { genericRemove(member, from: &self) }

  mutating func formUnion(_ other: Set<String>) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: [String]) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: some Sequence<String>) { genericFormUnion(&self, with: Array(other)) }
  mutating func subtract(_ other: Set<String>) { genericSubtract(&self, by: other) }

  func union(_ other: Set<String>) -> Set<String> {
    var all = self
    genericFormUnion(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<String>) -> Set<String> { genericSubtracting(from: self, other) }
}

extension Set<Int> {
  init(_ members: [Int]) { self = genericSet(of: members) }
  init(_ members: some Sequence<Int>) { self = genericSet(of: Array(members)) }

  func contains(_ member: Int) -> Bool { genericContains(member, in: self) }

  @discardableResult
  mutating func insert(_ member: Int) -> (inserted: Bool, memberAfterInsert: Int) { genericInsert(member, into: &self) }

  @discardableResult
  mutating func remove(_ member: Int) -> Int? { genericRemove(member, from: &self) }

  mutating func formUnion(_ other: Set<Int>) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: [Int]) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: some Sequence<Int>) { genericFormUnion(&self, with: Array(other)) }
  mutating func subtract(_ other: Set<Int>) { genericSubtract(&self, by: other) }

  func union(_ other: Set<Int>) -> Set<Int> {
    var all = self
    genericFormUnion(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<Int>) -> Set<Int> { genericSubtracting(from: self, other) }
}

extension Set<Int64> {
  init(_ members: [Int64]) { self = genericSet(of: members) }

  func contains(_ member: Int64) -> Bool { genericContains(member, in: self) }

  @discardableResult
  mutating func insert(_ member: Int64) -> (inserted: Bool, memberAfterInsert: Int64) {
    genericInsert(member, into: &self)
  }

  @discardableResult
  mutating func remove(_ member: Int64) -> Int64? { genericRemove(member, from: &self) }

  mutating func formUnion(_ other: Set<Int64>) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: [Int64]) { genericFormUnion(&self, with: other) }
  mutating func subtract(_ other: Set<Int64>) { genericSubtract(&self, by: other) }

  func union(_ other: Set<Int64>) -> Set<Int64> {
    var all = self
    genericFormUnion(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<Int64>) -> Set<Int64> { genericSubtracting(from: self, other) }
}

extension Set<ObjectIdentifier> {
  init(_ members: [ObjectIdentifier]) { self = genericSet(of: members) }

  func contains(_ member: ObjectIdentifier) -> Bool { genericContains(member, in: self) }

  @discardableResult
  mutating func insert(_ member: ObjectIdentifier) -> (inserted: Bool, memberAfterInsert: ObjectIdentifier) {
    genericInsert(member, into: &self)
  }

  @discardableResult
  mutating func remove(_ member: ObjectIdentifier) -> ObjectIdentifier? { genericRemove(member, from: &self) }

  mutating func formUnion(_ other: Set<ObjectIdentifier>) { genericFormUnion(&self, with: other) }
  mutating func formUnion(_ other: [ObjectIdentifier]) { genericFormUnion(&self, with: other) }
  mutating func subtract(_ other: Set<ObjectIdentifier>) { genericSubtract(&self, by: other) }

  func union(_ other: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    var all = self
    genericFormUnion(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> { genericSubtracting(from: self, other) }
}

// MARK: - The library's functions, specialised here

// Without constraints on the element, these names are the library's.

private func genericSet<Member>(of members: [Member]) -> Set<Member> { Set(members) }

private func genericContains<Member>(_ member: Member, in set: Set<Member>) -> Bool { set.contains(member) }

private func genericInsert<Member>(_ member: Member, into set: inout Set<Member>) -> (
  inserted: Bool, memberAfterInsert: Member
) {
  set.insert(member)
}

private func genericRemove<Member>(_ member: Member, from set: inout Set<Member>) -> Member? { set.remove(member) }

private func genericFormUnion<Member>(_ set: inout Set<Member>, with other: some Sequence<Member>) {
  set.formUnion(other)
}

private func genericSubtract<Member>(_ set: inout Set<Member>, by other: Set<Member>) { set.subtract(other) }

private func genericSubtracting<Member>(from set: Set<Member>, _ other: Set<Member>) -> Set<Member> {
  set.subtracting(other)
}
