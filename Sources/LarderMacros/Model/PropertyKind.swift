import SwiftSyntax

/// The storage of a persisted property, as far as the options of its `@Attribute` determine it in the source.
enum PropertyKind: Equatable {
  /// In the row.
  case ordinary
  /// In the row, in the form that a value transformer creates.
  case transformed
  /// Outside of the row, and read on first access.
  case externalStorage
  /// In memory only.
  case ephemeral

  init(_ attributes: CompiledAttributes) {
    // An ephemeral value is neither transformed nor stored externally.
    if attributes.option("ephemeral") != nil {
      self = .ephemeral
    } else if attributes.option("externalStorage") != nil {
      self = .externalStorage
    } else if attributes.option("transformable") != nil {
      self = .transformed
    } else {
      self = .ordinary
    }
  }

  /// The type of the key next to the storage; `nil` if the property's type determines it.
  var keyTypeName: String? {
    switch self {
    case .ordinary: nil
    case .transformed: "_TransformedKey"
    case .externalStorage: "_ExternalKey"
    case .ephemeral: "_EphemeralKey"
    }
  }
}
