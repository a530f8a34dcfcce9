import SwiftSyntax

/// How a persisted property is kept, as far as the options of its `@Attribute` say it in the source.
enum PropertyKind: Equatable {
  /// In the row.
  case ordinary
  /// In the row, as what a value transformer makes of it.
  case transformed
  /// Apart from the row, and read when it is first asked for.
  case externalStorage
  /// In memory only.
  case ephemeral

  init(_ attributes: CompiledAttributes) {
    // What is not stored is neither transformed nor kept apart.
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

  /// The type of what stands beside the storage; nil where the property's type decides it.
  var keyTypeName: String? {
    switch self {
    case .ordinary: nil
    case .transformed: "_TransformedKey"
    case .externalStorage: "_ExternalKey"
    case .ephemeral: "_EphemeralKey"
    }
  }
}
