import Foundation
import SwiftData
import Testing

/// Optionals of optionals, of whose two ways to be nil a store has one.
@Suite struct DoubleOptionalTests {
  enum Kind: String, Codable { case small, large }
  typealias Perhaps = Kind?

  struct Change: Codable, Equatable {
    var name: String
    var kind: Kind??
  }

  @Model final class Doubled {
    var name = ""
    var kind: Perhaps?
    init() {}
  }

  @Model final class Patch {
    var change: Change
    init(_ change: Change) { self.change = change }
  }

  @Test func aPropertyIsRefused() throws {
    let error = #expect(throws: SwiftDataError.self) { try TestStore(.memory, Doubled.self) }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.explanation?.contains("Doubled.kind has the type Kind??") == true, "\(error?.explanation ?? "")")
  }

  /// As its own coding has it, which knows one nil, too.
  @Test(arguments: StoreLocation.allCases) func aMemberIsReadAsItWasCoded(_ place: StoreLocation) throws {
    let store = try TestStore(place, Patch.self)
    _ = try store.saved([Patch(Change(name: "a", kind: .large)), Patch(Change(name: "b", kind: nil))])
    let found = try store.context().fetch(FetchDescriptor<Patch>()).map(\.change).sorted { $0.name < $1.name }
    #expect(found == [Change(name: "a", kind: .large), Change(name: "b", kind: nil)])
  }
}
