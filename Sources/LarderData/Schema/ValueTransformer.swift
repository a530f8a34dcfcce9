import LarderSupport

#if !canImport(ObjectiveC)
  import LarderSQLite

  /// The name under which a value transformer is known.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  /// Turns values into what a store can keep, and back: Foundation's class of this name, where Foundation has none.
  ///
  /// Subclass it, and name the subclass in `@Attribute(.transformable(by:))`:
  ///
  /// ```swift
  /// final class ColorTransformer: ValueTransformer {
  ///   override func transformedValue(_ value: Any?) -> Any? { (value as? Color).map { Data($0.bytes) } }
  ///   override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).map(Color.init) }
  /// }
  /// ```
  ///
  /// One transformer serves all contexts, so it must not keep state between calls.
  open class ValueTransformer {
    public required init() {}

    /// The class of stored forms.
    open class func transformedValueClass() -> AnyClass { ValueTransformer.self }

    /// Whether stored values can be turned back. Without that an attribute could be written but never read.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The stored form of a value.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value of a stored form.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Makes a transformer known under a name, for `.transformable(by: "Name")`; nil takes the name back.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      let registration = transformer.map(Registration.init)
      registrations.withLock { $0[name.rawValue] = registration }
    }

    /// The names under which transformers are known.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registrations.withLock { $0.keys.inOrder() }.map { NSValueTransformerName($0) }
    }

    /// Makes a transformer of the type known under a name that nobody has taken.
    static func registerIfAbsent(_ type: ValueTransformer.Type, forName name: String) {
      registrations.withLock { if $0[name] == nil { $0[name] = Registration(transformer: type.init()) } }
    }

    /// The transformer that is known under a name.
    package static func transformer(named name: String) -> ValueTransformer? {
      registrations.withLock { $0[name] }?.transformer
    }

    // Unchecked: Foundation's registry shares its transformers between threads too, and says so as we do above.
    private struct Registration: @unchecked Sendable {
      let transformer: ValueTransformer
    }

    private static let registrations = Locked<[String: Registration]>([:])
  }
#endif
