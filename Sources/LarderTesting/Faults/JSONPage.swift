internal import Foundation

/// Changes to a page of JSON that simulate a faulty server.
enum JSONPage {
  /// Returns the page with its items in reverse: the elements of the array, or of the first member, by name, that is an array.
  /// Returns `nil` where there is no array.
  static func reversed(_ body: Data) -> Data? {
    let page = try? JSONSerialization.jsonObject(with: body)
    if let items = page as? [Any] { return data(Array(items.reversed())) }
    guard var object = page as? [String: Any],
      let name = object.keys.sorted().first(where: { object[$0] is [Any] }), let items = object[name] as? [Any]
    else { return nil }
    object[name] = Array(items.reversed())
    return data(object)
  }

  /// Returns the object with one member replaced by a text, or `nil` where there is no object.
  static func with(_ member: String, _ text: String, in body: Data) -> Data? {
    guard var object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] else { return nil }
    object[member] = text
    return data(object)
  }

  private static func data(_ value: Any) -> Data? {
    try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
  }
}
