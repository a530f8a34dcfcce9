// The everyday operations of the sets that are in most use: compiled once.
//
// An optimised build compiles each file by itself, and with it a copy of every operation of the standard library that the
// file uses, for each type of element: growing, copying and rehashing a set of text were 28 copies of five functions. These
// stand nearer to such a set than those of the library, so whoever writes `insert` calls them, and knows nothing of it.
// Nothing is slower for it: the library's are no part of their caller either.

extension Set<String> {
  init(_ members: [String]) { self = made(of: members) }
  init(_ members: some Sequence<String>) { self = made(of: Array(members)) }

  func contains(_ member: String) -> Bool { has(member, in: self) }

  @discardableResult
  mutating func insert(_ member: String) -> (inserted: Bool, memberAfterInsert: String) { put(member, into: &self) }

  @discardableResult
  mutating func remove(_ member: String) -> String? { take(member, from: &self) }

  mutating func formUnion(_ other: Set<String>) { unite(&self, with: other) }
  mutating func formUnion(_ other: [String]) { unite(&self, with: other) }
  mutating func formUnion(_ other: some Sequence<String>) { unite(&self, with: Array(other)) }
  mutating func subtract(_ other: Set<String>) { lessen(&self, by: other) }

  func union(_ other: Set<String>) -> Set<String> {
    var all = self
    unite(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<String>) -> Set<String> { rest(of: self, without: other) }
}

extension Set<Int> {
  init(_ members: [Int]) { self = made(of: members) }
  init(_ members: some Sequence<Int>) { self = made(of: Array(members)) }

  func contains(_ member: Int) -> Bool { has(member, in: self) }

  @discardableResult
  mutating func insert(_ member: Int) -> (inserted: Bool, memberAfterInsert: Int) { put(member, into: &self) }

  @discardableResult
  mutating func remove(_ member: Int) -> Int? { take(member, from: &self) }

  mutating func formUnion(_ other: Set<Int>) { unite(&self, with: other) }
  mutating func formUnion(_ other: [Int]) { unite(&self, with: other) }
  mutating func formUnion(_ other: some Sequence<Int>) { unite(&self, with: Array(other)) }
  mutating func subtract(_ other: Set<Int>) { lessen(&self, by: other) }

  func union(_ other: Set<Int>) -> Set<Int> {
    var all = self
    unite(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<Int>) -> Set<Int> { rest(of: self, without: other) }
}

extension Set<Int64> {
  init(_ members: [Int64]) { self = made(of: members) }

  func contains(_ member: Int64) -> Bool { has(member, in: self) }

  @discardableResult
  mutating func insert(_ member: Int64) -> (inserted: Bool, memberAfterInsert: Int64) { put(member, into: &self) }

  @discardableResult
  mutating func remove(_ member: Int64) -> Int64? { take(member, from: &self) }

  mutating func formUnion(_ other: Set<Int64>) { unite(&self, with: other) }
  mutating func formUnion(_ other: [Int64]) { unite(&self, with: other) }
  mutating func subtract(_ other: Set<Int64>) { lessen(&self, by: other) }

  func union(_ other: Set<Int64>) -> Set<Int64> {
    var all = self
    unite(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<Int64>) -> Set<Int64> { rest(of: self, without: other) }
}

extension Set<ObjectIdentifier> {
  init(_ members: [ObjectIdentifier]) { self = made(of: members) }

  func contains(_ member: ObjectIdentifier) -> Bool { has(member, in: self) }

  @discardableResult
  mutating func insert(_ member: ObjectIdentifier) -> (inserted: Bool, memberAfterInsert: ObjectIdentifier) {
    put(member, into: &self)
  }

  @discardableResult
  mutating func remove(_ member: ObjectIdentifier) -> ObjectIdentifier? { take(member, from: &self) }

  mutating func formUnion(_ other: Set<ObjectIdentifier>) { unite(&self, with: other) }
  mutating func formUnion(_ other: [ObjectIdentifier]) { unite(&self, with: other) }
  mutating func subtract(_ other: Set<ObjectIdentifier>) { lessen(&self, by: other) }

  func union(_ other: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    var all = self
    unite(&all, with: other)
    return all
  }

  func subtracting(_ other: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> { rest(of: self, without: other) }
}

// MARK: - The library's own, specialised here

// Without constraints on the element, these names are the library's.

private func made<Member>(of members: [Member]) -> Set<Member> { Set(members) }

private func has<Member>(_ member: Member, in set: Set<Member>) -> Bool { set.contains(member) }

private func put<Member>(_ member: Member, into set: inout Set<Member>) -> (inserted: Bool, memberAfterInsert: Member) {
  set.insert(member)
}

private func take<Member>(_ member: Member, from set: inout Set<Member>) -> Member? { set.remove(member) }

private func unite<Member>(_ set: inout Set<Member>, with other: some Sequence<Member>) { set.formUnion(other) }

private func lessen<Member>(_ set: inout Set<Member>, by other: Set<Member>) { set.subtract(other) }

private func rest<Member>(of set: Set<Member>, without other: Set<Member>) -> Set<Member> { set.subtracting(other) }
