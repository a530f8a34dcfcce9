extension Schema {
  /// The combinations of properties whose values no two objects share, as `#Unique` lists them.
  ///
  /// ```swift
  /// #Unique<Person>([\.email], [\.givenName, \.familyName])
  /// ```
  public final class Unique<T>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable
  where T: PersistentModel {
    /// One list of key paths for each constraint.
    public let constraints: [[PartialKeyPath<T>]]
    public var name = "SwiftData.Schema.Unique"
    public var originalName = "SwiftData.Schema.Unique"
    public var valueType: any Any.Type = T.self

    /// Creates one constraint for each list of key paths.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
    }

    /// Decodes the names of the properties and looks them up in the model.
    public init(from decoder: any Decoder) throws {
      constraints = try [[String]](from: decoder).map { try KeyPathNames.keyPaths($0, in: T.self, from: decoder) }
    }

    /// Encodes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      try constraints.map { try KeyPathNames.names($0, in: T.self, to: encoder) }.encode(to: encoder)
    }

    public var isUnique: Bool { true }

    public static func == (left: Unique, right: Unique) -> Bool { left.constraints == right.constraints }
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    public var debugDescription: String { "Schema.Unique<\(T.self)> - constraints: \(constraints)" }
  }
}

extension Schema.Unique: ModelConstraint {
  package var erasedConstraints: [[AnyKeyPath]] { constraints }
}
