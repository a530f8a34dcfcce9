import ExampleSupport
import Foundation

/// The file that says what to pay: a list, in JSON.
enum DraftFile {
  private static let what = "the list of what to pay"

  /// - Throws: `FileTrouble`, which says where in the list what is wrong, and holds nothing of what it has.
  static func read(_ url: URL) throws(FileTrouble) -> [PaymentDraft] {
    let data = try Files.read(url, what, advice: "Name a file of JSON behind --pay; the README shows one.")
    let drafts: [PaymentDraft]
    do {
      drafts = try JSONDecoder().decode([PaymentDraft].self, from: data)
    } catch let error as DecodingError {
      throw FileTrouble(url, what, words(error), advice: "Nothing was paid. The README shows one that is right.")
    } catch {
      throw FileTrouble(url, what, "cannot be read", advice: "Nothing was paid. The README shows one that is right.")
    }
    if let place = drafts.firstIndex(where: { $0.name.allSatisfy(\.isWhitespace) }) {
      throw FileTrouble(
        url, what, "has an empty “name” in payment \(place + 1)",
        advice: "Nothing was paid. A name is what makes it one payment: give each its own.")
    }
    if let place = drafts.firstIndex(where: { $0.amount <= 0 }) {
      throw FileTrouble(
        url, what, "has an “amount” in payment \(place + 1) that is not more than nothing",
        advice: "Nothing of the list was paid now. Write what the recipient is to get, or take the payment out.")
    }
    var places: [String: Int] = [:]
    for (place, draft) in drafts.enumerated() {
      if let first = places.updateValue(place, forKey: draft.name) {
        throw FileTrouble(
          url, what, "has one “name” in payments \(first + 1) and \(place + 1)",
          advice: "Nothing was paid. A name is what makes it one payment: give each its own.")
      }
    }
    return drafts
  }

  /// What is said of a draft that asks for something else than an order that has its name already.
  ///
  /// - Parameter place: Where it stands in the list; the first is 0.
  static func taken(_ url: URL, _ place: Int) -> FileTrouble {
    FileTrouble(
      url, what, "asks in payment \(place + 1) for something else than an earlier order of this name",
      advice: "Nothing of the list was paid now. What was ordered is not changed any more: write it as it was, or give "
        + "what is new another name.")
  }

  private static func words(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): "has no “\(key.stringValue)”\(place(context.codingPath))"
    case .dataCorrupted(let context) where context.codingPath.last?.stringValue == "amount":
      "has something that is no amount\(place(context.codingPath)): write digits with a point, as in \"12.50\""
    case .dataCorrupted(let context) where context.underlyingError is UnknownMember:
      "has a member that no payment has\(place(context.codingPath))"
    case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "is no list in JSON" : "has something that cannot be understood\(place(context.codingPath))"
    @unknown default: "cannot be understood"
    }
  }

  /// As "in payment 3, “amount”": the first is 1.
  private static func place(_ path: [any CodingKey]) -> String {
    guard let first = path.first else { return "" }
    let field = path.count > 1 ? ", “\(path[path.count - 1].stringValue)”" : ""
    return " in payment \((first.intValue ?? 0) + 1)\(field)"
  }
}
