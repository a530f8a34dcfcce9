import Foundation

// The most frequent operations of string arrays, compiled once and not in each file; see Set+Specializations.swift.

extension [String] {
  mutating func append(_ text: String) { genericAppend(text, to: &self) }
  mutating func append(contentsOf other: [String]) { genericAppend(contentsOf: other, to: &self) }
}

extension Data {
  init(_ text: String.UTF8View) { self = genericData(text) }
}

// MARK: - The library's functions, specialised here

private func genericAppend<Member>(_ member: Member, to list: inout [Member]) { list.append(member) }

private func genericAppend<Member>(contentsOf other: [Member], to list: inout [Member]) {
  list.append(contentsOf: other)
}

private func genericData(_ text: some Sequence<UInt8>) -> Data { Data(text) }
