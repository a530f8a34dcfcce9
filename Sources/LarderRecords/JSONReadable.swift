@_exported public import LarderJSON

/// Writes how a type is read from a ``LarderJSON/JSONReader``: straight from the bytes, without a container or a dictionary.
///
/// ```swift
/// @JSONReadable(keys: .convertFromSnakeCase, dates: .millisecondsSince1970)
/// struct Quake {
///   let id: String
///   var magnitude: Double?
///   var updatedAt: Date
///   var tags: [String] = []
/// }
///
/// let quake = try Quake(json: data)
/// for try await quake in JSONElementSequence(of: Quake.self, at: "features[*]", in: chunks) { … }
/// ```
///
/// The name is that of the conformance which it writes. It belongs on a struct or a final class:
/// - Each stored property is read from the key of its name, or of its case in `CodingKeys`, if the type has that.
/// - A property with a value keeps it where the key is absent. An optional is nil where the key is absent or null.
/// - Types may be those of the standard library and of Foundation that JSON can stand for, arrays, dictionaries with
///   `String` keys, and whatever is ``LarderJSON/JSONReadable`` itself: other types with this macro, enumerations with a raw
///   value.
/// - Other keys are passed, and checked. Of a key that comes twice the first counts.
///
/// - Parameters:
///   - keys: Whether keys are converted from snake case. Then each key is read that `JSONDecoder` reads by the strategy of that
///     name: `updated_at` and `updatedAt` for `updatedAt`, `address_2` and `address2` for `address2`. So is what
///     `JSONEncoder` writes by `convertToSnakeCase` and `JSONDecoder` does not find again: `image_url` for `imageURL`.
///   - dates: How dates are written, unless ``JSONDate(_:)`` says otherwise of one.
@attached(member, names: named(init))
@attached(extension, conformances: JSONReadable, names: named(init))
public macro JSONReadable(keys: JSONKeyNames = .useDefaultKeys, dates: JSONDateFormat = .iso8601) =
  #externalMacro(module: "LarderMacros", type: "JSONReadableMacro")

/// Says how the dates of one property are written.
///
/// ```swift
/// @JSONDate(.secondsSince1970) var expiry: Date
/// ```
@attached(peer)
public macro JSONDate(_ format: JSONDateFormat) = #externalMacro(module: "LarderMacros", type: "JSONDateMacro")

/// How keys follow from the names of properties.
public enum JSONKeyNames: Sendable {
  /// They are the same.
  case useDefaultKeys
  /// They are converted from snake case, as by `JSONDecoder`'s strategy of that name: `updated_at` for `updatedAt`.
  case convertFromSnakeCase
}
