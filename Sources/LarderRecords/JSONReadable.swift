@_exported public import LarderJSON

/// Generates an initializer that reads a type from a ``LarderJSON/JSONReader``: directly from the bytes, without a container or a
/// dictionary.
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
/// The macro has the name of the conformance that it adds. Attach it to a struct or a final class:
/// - Each stored property is read from the key of its name, or of its case in `CodingKeys`, if the type has that.
/// - A property with an initial value keeps it if the key is absent. An optional is nil if the key is absent or null.
/// - Types may be types of the standard library and of Foundation that JSON can represent, arrays, dictionaries with
///   `String` keys, and types that are ``LarderJSON/JSONReadable`` themselves: other types with this macro, enumerations with a raw
///   value.
/// - Other keys are skipped, and validated. Of a repeated key the first counts.
///
/// - Parameters:
///   - keys: Whether keys are converted from snake case. If so, the initializer reads each key that `JSONDecoder` reads by the
///     strategy of that name: `updated_at` and `updatedAt` for `updatedAt`, `address_2` and `address2` for `address2`. It also
///     reads
///     keys that `JSONEncoder` writes by `convertToSnakeCase` and `JSONDecoder` does not find again: `image_url` for `imageURL`.
///   - dates: The format of dates, unless ``JSONDate(_:)`` specifies another one for a property.
@attached(member, names: named(init))
@attached(extension, conformances: JSONReadable, names: named(init))
public macro JSONReadable(keys: JSONKeyNames = .useDefaultKeys, dates: JSONDateFormat = .iso8601) =
  #externalMacro(module: "LarderMacros", type: "JSONReadableMacro")

/// Specifies the date format of one property.
///
/// ```swift
/// @JSONDate(.secondsSince1970) var expiry: Date
/// ```
@attached(peer)
public macro JSONDate(_ format: JSONDateFormat) = #externalMacro(module: "LarderMacros", type: "JSONDateMacro")

/// The rule that derives keys from the names of properties.
public enum JSONKeyNames: Sendable {
  /// Keys equal the names.
  case useDefaultKeys
  /// Keys are converted from snake case, as by `JSONDecoder`'s strategy of that name: `updated_at` for `updatedAt`.
  case convertFromSnakeCase
}
