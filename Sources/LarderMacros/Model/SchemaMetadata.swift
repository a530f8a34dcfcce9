import SwiftSyntax

/// The generated `schemaMetadata`: one entry for each persisted property, with the arguments of its `@Attribute` or
/// `@Relationship`, and one for each `#Unique` and `#Index`.
struct SchemaMetadata {
  private let model: ModelClass
  private let modifiers: String

  init(_ model: ModelClass, modifiers: String) {
    self.model = model
    self.modifiers = modifiers
  }

  private static let entry = "LarderData.Schema.PropertyMetadata"

  var text: String {
    let entries = model.properties.map(entry) + constraints
    let confirmations = model.conditions.assertions.map { "  \($0)\n" }.joined()
    // After compiler directives the bare value would be parsed as a statement of its own.
    let start = confirmations.isEmpty ? "[" : "return ["
    return """
      \(modifiers) var schemaMetadata: [\(Self.entry)] {
      \(confirmations)  \(start)
      \(entries.map { "    \($0),\n" }.joined())  ]
      }
      """
  }

  private func entry(_ property: PersistedProperty) -> String {
    var arguments = ["name: \(property.name.stringLiteral)", "keypath: \\\(model.name).\(property.spelling)"]
    if let value = property.defaultValue { arguments.append("defaultValue: \(value)") }
    if let marker = property.marker, !(marker.baseName == "Relationship" && property.type.isScalar) {
      arguments.append("metadata: LarderData.Schema.\(marker.baseName)(\(marker.argumentText ?? ""))")
    }
    return "\(Self.entry)(\(arguments.joined(separator: ", ")))"
  }

  private var constraints: [String] {
    var all = model.indices.map { ($0, "Index") }
    if let unique = model.unique { all.insert((unique, "Unique"), at: 0) }
    return all.map { expansion, kind in
      """
      \(Self.entry)(name: "SwiftData.Schema.\(kind)", keypath: \\LarderData.Schema.encodingVersion, \
      metadata: LarderData.Schema.\(kind)<\(model.name)>(\(expansion.arguments.copied)))
      """
    }
  }
}

extension PersistedProperty {
  /// The initial value with its type, which `[]`, `.draft` or `1` for a Double need where an `Any?` is expected.
  fileprivate var defaultValue: String? {
    guard let initialValue, initialValue != "nil" else { return nil }
    return type.text.map { "(\(initialValue)) as \($0)" } ?? initialValue
  }
}
