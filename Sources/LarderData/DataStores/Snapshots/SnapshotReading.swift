import Foundation

extension SnapshotValues {
  /// The values of a snapshot of any type, by its coded form.
  ///
  /// - Throws: ``FetchError`` that says what cannot be read.
  static func read(_ snapshot: some DataStoreSnapshot, as layout: ModelLayout) throws -> SnapshotValues {
    if let known = snapshot as? DefaultSnapshot { return known.values }
    do {
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = numbers
      decoder.userInfo[CodedSnapshot.target] = (snapshot.persistentIdentifier, layout)
      return try decoder.decode(CodedSnapshot.self, from: encoder.encode(snapshot)).values
    } catch {
      throw FetchError(
        .unreadableValue, entityName: layout.entityName, identifier: snapshot.persistentIdentifier,
        "The store's snapshot of \(snapshot.persistentIdentifier.debugDescription) cannot be read: \(JSONText.reason(error)). "
          + "Give its coded form the names and types of the model's properties.")
    }
  }

  private static let numbers = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")

  // Sendable, and not changed once it is set up.
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()
}

/// A snapshot that is read for what its keys say.
private struct CodedSnapshot: Decodable {
  static let target = CodingUserInfoKey(rawValue: "snapshot").unsafelyUnwrapped

  let values: SnapshotValues

  init(from decoder: any Decoder) throws {
    guard let target = decoder.userInfo[CodedSnapshot.target] as? (PersistentIdentifier, ModelLayout) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "it is not known which model it is of"))
    }
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    values = try SnapshotValues(target.0, target.1, in: container)
  }
}

extension DataStoreSnapshot {
  /// Gives backing data the attributes that the snapshot has. Relationships need a context.
  ///
  /// - Returns: Whether all of them could be.
  public func _applyToBackingData(_ backingData: any BackingData) -> Bool {
    guard let data = backingData as? any LaidOutValues,
      let values = try? SnapshotValues.read(self, as: data.layout)
    else { return false }
    return data.take(values)
  }
}

extension LaidOutValues {
  /// - Returns: Whether the snapshot has every attribute, as the type that the property has.
  func take(_ snapshot: SnapshotValues) -> Bool {
    var isWhole = true
    for property in layout.properties where property.relation == nil && !property.placement.isEphemeral {
      guard let coded = snapshot.attributes[property.name], let value = property.value(coded, layout) else {
        isWhole = false
        continue
      }
      put(value, at: property.index)
    }
    return isWhole
  }
}
