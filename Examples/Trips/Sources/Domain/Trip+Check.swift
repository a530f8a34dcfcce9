import Foundation

/// What is wrong with a trip that somebody wants to keep, in words for that person.
struct TripProblem: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
  let description: String
  var errorDescription: String? { description }

  static let gone = TripProblem(description: "This trip is not in the store any more.")
  static let changedElsewhere = TripProblem(
    description: "This trip was changed elsewhere since you began. Save again to replace that, or cancel to see it.")
}

extension Trip {
  /// Longer than any place or trip is called, and short enough for a page.
  static let longestText = 120
  /// A year's tour by train; more is a mistake, or an attack.
  static let mostLegs = 60
  /// For people as for tags.
  static let mostNames = 30

  /// Whether it can be kept.
  ///
  /// - Throws: The first thing that is wrong.
  func check() throws(TripProblem) {
    try Self.check(name, is: "The trip's name")
    guard startDate <= endDate else {
      throw TripProblem(description: "The last day lies before the first. Choose a later last day.")
    }
    guard legs.count <= Self.mostLegs else {
      throw TripProblem(description: "A trip has \(Self.mostLegs) legs at most.")
    }
    for (index, leg) in legs.enumerated() {
      try Self.check(leg.origin, is: "The place where leg \(index + 1) begins")
      try Self.check(leg.destination, is: "The place where leg \(index + 1) ends")
    }
    try Self.check(people, are: "people")
    try Self.check(tags, are: "tags")
  }

  private static func check(_ text: String, is what: String) throws(TripProblem) {
    guard !text.isEmpty else { throw TripProblem(description: "\(what) is missing.") }
    guard text.count <= longestText else {
      throw TripProblem(description: "\(what) is longer than \(longestText) characters.")
    }
  }

  private static func check(_ names: [String], are what: String) throws(TripProblem) {
    guard names.count <= mostNames else {
      throw TripProblem(description: "A trip has \(mostNames) \(what) at most.")
    }
    for name in names { try check(name, is: "One of the \(what)") }
    guard Set(names).count == names.count else {
      throw TripProblem(description: "One of the \(what) is there twice.")
    }
  }
}
