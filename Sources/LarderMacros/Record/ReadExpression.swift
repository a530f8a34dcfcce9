import SwiftDiagnostics
import SwiftSyntax

/// The expression that reads a value of a type.
enum ReadExpression {
  private static let integers: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
  ]
  private static let calls = [
    "String": "readString", "Bool": "readBool", "Double": "readDouble", "Float": "readFloat", "Decimal": "readDecimal",
    "UUID": "readUUID", "URL": "readURL", "Data": "readData",
  ]

  /// Returns an expression of the type, which reads from `reader`.
  static func expression(_ type: TypeSyntax, dates: String) -> String {
    if let wrapped = wrapped(type) {
      return "try reader.readNull() ? nil : \(expression(wrapped, dates: dates))"
    }
    if let element = element(type) { return "try reader.readArray \(closure(element, dates))" }
    if let value = value(type) { return "try reader.readDictionary \(closure(value, dates))" }
    let text = type.copied
    let name =
      text.hasPrefix("Swift.")
      ? String(text.dropFirst(6)) : text.hasPrefix("Foundation.") ? String(text.dropFirst(11)) : text
    if name == "Date" { return "try reader.readDate(\(dates))" }
    if let call = calls[name] { return "try reader.\(call)()" }
    if integers.contains(name) { return "try reader.readInteger(\(text).self)" }
    return "try \(text)(reading: &reader)"
  }

  private static func closure(_ type: TypeSyntax, _ dates: String) -> String {
    "{ (reader: inout LarderJSON.JSONReader) throws -> \(type.copied) in \(expression(type, dates: dates)) }"
  }

  static func mentionsDate(_ type: TypeSyntax) -> Bool {
    type.tokens(viewMode: .sourceAccurate).contains { $0.text == "Date" }
  }

  // MARK: Types by their text

  private static func arguments(_ type: TypeSyntax, _ name: String) -> [TypeSyntax]? {
    let clause: GenericArgumentClauseSyntax?
    if let identifier = type.as(IdentifierTypeSyntax.self), identifier.name.text == name {
      clause = identifier.genericArgumentClause
    } else if let member = type.as(MemberTypeSyntax.self), member.name.text == name,
      member.baseType.trimmedDescription == "Swift"
    {
      clause = member.genericArgumentClause
    } else {
      return nil
    }
    return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) }
  }

  private static func wrapped(_ type: TypeSyntax) -> TypeSyntax? {
    if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType }
    return arguments(type, "Optional")?.first
  }

  private static func element(_ type: TypeSyntax) -> TypeSyntax? {
    if let array = type.as(ArrayTypeSyntax.self) { return array.element }
    return arguments(type, "Array")?.first
  }

  private static func value(_ type: TypeSyntax) -> TypeSyntax? {
    if let dictionary = type.as(DictionaryTypeSyntax.self) { return dictionary.value }
    return arguments(type, "Dictionary")?.last
  }

  private static func keyType(_ type: TypeSyntax) -> TypeSyntax? {
    if let dictionary = type.as(DictionaryTypeSyntax.self) { return dictionary.key }
    return arguments(type, "Dictionary")?.first
  }

  /// Returns the diagnostic for a type that can never be read, at the unsupported part of the type.
  static func problem(_ type: TypeSyntax) -> Diagnostic? {
    if let key = keyType(type), key.trimmedDescription != "String", key.trimmedDescription != "Swift.String" {
      return .error(
        "dictionary-key", at: key,
        "keys of a JSON object are strings; use [String: …], or write init(reading:) for a type of your own")
    }
    if let part = wrapped(type) ?? element(type) ?? value(type) { return problem(part) }
    if let tuple = type.as(TupleTypeSyntax.self) {
      if tuple.elements.count == 1, let inner = tuple.elements.first?.type { return problem(inner) }
      return .error("tuple", at: type, "a tuple cannot be read from JSON; use a struct that is @JSONReadable")
    }
    if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) {
      return .error(
        "function", at: type,
        "a function cannot be read from JSON; give the property a value, and leave it out of CodingKeys")
    }
    if let existential = type.as(SomeOrAnyTypeSyntax.self) {
      return .error(
        "existential", at: existential,
        "JSON does not say which type '\(existential.trimmedDescription)' is; use a concrete one")
    }
    if ["Any", "AnyObject"].contains(type.trimmedDescription) {
      return .error(
        "existential", at: type, "JSON does not say which type '\(type.trimmedDescription)' is; use a concrete one")
    }
    if type.is(MetatypeTypeSyntax.self) {
      return .error("metatype", at: type, "a type itself cannot be read from JSON; read its name, and look it up")
    }
    return nil
  }
}
