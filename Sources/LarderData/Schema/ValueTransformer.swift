import LarderSupport

#if !canImport(ObjectiveC)
  import LarderSQLite

  /// The name of a registered value transformer.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  /// A transformer between values and their stored form: a replacement for Foundation's class, where Foundation has none.
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
  /// All contexts share one transformer, so it must not keep state between calls.
  open class ValueTransformer {
    public required init() {}

    /// Returns the class of stored forms.
    open class func transformedValueClass() -> AnyClass { ValueTransformer.self }

    /// Returns whether stored values can be transformed back. If not, an attribute could be written but never read.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the stored form of a value.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value of a stored form.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Registers a transformer under a name, for `.transformable(by: "Name")`.
    ///
    /// - Parameters:
    ///   - transformer: The transformer; `nil` removes the registration.
    ///   - name: The name to register.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      let registration = transformer.map(Registration.init)
      registrations.withLock { $0[name.rawValue] = registration }
    }

    /// Returns the names of all registered transformers.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registrations.withLock { $0.keys.inOrder() }.map { NSValueTransformerName($0) }
    }

    /// Registers a transformer of a type, unless the name is registered already.
    static func registerIfAbsent(_ type: ValueTransformer.Type, forName name: String) {
      registrations.withLock { if $0[name] == nil { $0[name] = Registration(transformer: type.init()) } }
    }

    /// Returns the transformer registered under a name.
    package static func transformer(named name: String) -> ValueTransformer? {
      registrations.withLock { $0[name] }?.transformer
    }

    // Unchecked: Foundation's registry also shares its transformers between threads, and the documentation above says so.
    private struct Registration: @unchecked Sendable {
      let transformer: ValueTransformer
    }

    private static let registrations = Locked<[String: Registration]>([:])
  }
#endif
