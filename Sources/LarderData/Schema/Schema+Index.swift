extension Schema {
  /// The indexes of a model, as `#Index` lists them.
  ///
  /// ```swift
  /// #Index<Quake>([\.time], [\.magnitude, \.time])
  /// ```
  public final class Index<T>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable
  where T: PersistentModel {
    /// The key paths of an index, and its kind.
    public enum Types<P> {
      /// An index for equality, ranges and order, from the first property on.
      case binary([PartialKeyPath<P>])
      /// An index for ranges of several numbers at once, such as a rectangle on a map.
      case rtree([PartialKeyPath<P>])
    }

    public let indices: [Types<T>]
    public var name = "SwiftData.Schema.Index"
    public var originalName = "SwiftData.Schema.Index"
    public var valueType: any Any.Type = T.self

    /// Creates indexes of the specified kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices
    }

    /// Creates a binary index for each list of key paths.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) {
      indices = binaryIndices.map { .binary($0) }
    }

    private enum CodingKeys: String, CodingKey {
      case binary, rtree
    }

    /// Decodes the names of the properties and looks them up in the model.
    public init(from decoder: any Decoder) throws {
      let coded = try [[String: [String]]](from: decoder)
      indices = try coded.flatMap { index in
        try index.map { kind, names -> Types<T> in
          let keyPaths = try KeyPathNames.keyPaths(names, in: T.self, from: decoder)
          return kind == CodingKeys.rtree.rawValue ? .rtree(keyPaths) : .binary(keyPaths)
        }
      }
    }

    /// Encodes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      let coded = try indices.map { index in
        let kind = index.isRTree ? CodingKeys.rtree : CodingKeys.binary
        return [kind.rawValue: try KeyPathNames.names(index.keyPaths, in: T.self, to: encoder)]
      }
      try coded.encode(to: encoder)
    }

    public var isUnique: Bool { false }

    public static func == (left: Index, right: Index) -> Bool {
      left.indices.map(\.keyPaths) == right.indices.map(\.keyPaths)
        && left.indices.map(\.isRTree) == right.indices.map(\.isRTree)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(indices.map(\.keyPaths)) }

    public var debugDescription: String { "Schema.Index<\(T.self)> - indices: \(indices)" }
  }
}

extension Schema.Index.Types {
  package var keyPaths: [PartialKeyPath<P>] {
    switch self {
    case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
    }
  }

  package var isRTree: Bool {
    switch self {
    case .binary: false
    case .rtree: true
    }
  }
}

extension Schema.Index: ModelIndices {
  package var erasedConstraints: [[AnyKeyPath]] { indices.map(\.keyPaths) }
  package var erasedIsRTree: [Bool] { indices.map(\.isRTree) }
}
