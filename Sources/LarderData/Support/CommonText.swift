import Foundation

// What is done to text most often, compiled once and not in each file; see CommonSets.swift.

extension [String] {
  mutating func append(_ text: String) { add(text, to: &self) }
  mutating func append(contentsOf other: [String]) { add(contentsOf: other, to: &self) }
}

extension Data {
  init(_ text: String.UTF8View) { self = encoded(text) }
}

// MARK: - The library's own, specialised here

private func add<Member>(_ member: Member, to list: inout [Member]) { list.append(member) }

private func add<Member>(contentsOf other: [Member], to list: inout [Member]) { list.append(contentsOf: other) }

private func encoded(_ text: some Sequence<UInt8>) -> Data { Data(text) }
