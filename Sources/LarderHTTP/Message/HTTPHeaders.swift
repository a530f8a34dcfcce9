/// The fields of a header, in order. Names are compared without regard to case (RFC 9110, section 5.1).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept-language"] = "de"
/// headers.add("no-cache", for: "Cache-Control")
/// ```
///
/// A name that is no token, or a value with a line break, makes the request fail before anything is sent.
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One field of a header.
  public struct Field: Sendable, Hashable {
    /// The name of the field.
    public var name: String
    /// The value. Received bytes that are not UTF-8 are read as ISO 8859-1, which has a character for each byte (RFC 9110,
    /// section 5.5): `caf\u{E9}`. ``bytes`` are the received bytes.
    public var value: String {
      didSet { isLatin1 = false }
    }
    /// Whether each character of the value represents one byte.
    private(set) var isLatin1 = false
    /// Whether the authentication has added the field: it is for one origin, and not for descriptions.
    var isSecret = false

    /// Creates a field of text.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Creates a field from bytes, which are sent as they are.
    ///
    /// ```swift
    /// request.headers.add(HTTPHeaders.Field(name: "X-Name", bytes: latin1))
    /// ```
    public init(name: String, bytes: some Collection<UInt8>) {
      self.name = name
      let text = String(validating: bytes, as: UTF8.self)
      value = text ?? Self.latin1(bytes)
      isLatin1 = text == nil
    }

    /// The bytes of the value, as they were received, or are sent.
    public var bytes: [UInt8] {
      isLatin1 ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(value.utf8)
    }

    private static func latin1(_ bytes: some Collection<UInt8>) -> String {
      var text = String.UnicodeScalarView()
      for byte in bytes { text.append(Unicode.Scalar(byte)) }
      return String(text)
    }
  }

  /// The fields in the order in which they are sent, or were received.
  public private(set) var fields: [Field] = []

  /// Creates a header without fields.
  public init() {}

  /// Creates a header from literal names and values, in their order.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Creates a header from a dictionary, in the order of the names.
  public init(_ dictionary: [String: String]) {
    fields = dictionary.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
  }

  /// The first value of a name. Setting it replaces all values of that name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { ASCIIText.equal($0.name, name) }?.value }
    set {
      let place = fields.firstIndex { ASCIIText.equal($0.name, name) }
      fields.removeAll { ASCIIText.equal($0.name, name) }
      guard let newValue else { return }
      fields.insert(Field(name: name, value: newValue), at: min(place ?? fields.count, fields.count))
    }
  }

  /// Returns all values of a name, in order.
  public func values(for name: String) -> [String] {
    fields.compactMap { ASCIIText.equal($0.name, name) ? $0.value : nil }
  }

  /// Returns all values of a name as one list, which has the same meaning (RFC 9110, section 5.3). Not for `Set-Cookie`.
  public func combinedValue(for name: String) -> String? {
    let values = values(for: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Adds a field, in addition to existing fields of the same name.
  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Adds a field, in addition to existing fields of the same name.
  public mutating func add(_ field: Field) { fields.append(field) }

  /// Returns the first field of a name.
  func first(_ name: String) -> Field? { fields.first { ASCIIText.equal($0.name, name) } }

  mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Removes all fields of a name.
  public mutating func remove(_ name: String) {
    fields.removeAll { ASCIIText.equal($0.name, name) }
  }

  mutating func removeAll(where isUnwanted: (Field) -> Bool) { fields.removeAll(where: isUnwanted) }

  /// Hides the values of the selected fields from descriptions.
  mutating func markSecret(where isSecret: (Field) -> Bool) {
    for place in fields.indices where isSecret(fields[place]) { fields[place].isSecret = true }
  }

  /// Adds the fields of another header; they replace the fields of the same names.
  public mutating func merge(_ others: HTTPHeaders) {
    for field in others.fields { remove(field.name) }
    fields += others.fields
  }

  /// Whether there is no field.
  public var isEmpty: Bool { fields.isEmpty }

  /// Returns whether the fields are the same in the same order, with names compared without regard to case.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields) { ASCIIText.equal($0.name, $1.name) && $0.value == $1.value }
  }

  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(ASCIIText.lowercased(field.name))
      hasher.combine(field.value)
    }
  }
}

extension HTTPHeaders {
  /// Appends text to the value of the last field, after a space.
  mutating func extendLast(by more: some Collection<UInt8>) {
    guard let last = fields.last, !more.isEmpty else { return }
    fields[fields.count - 1] = Field(name: last.name, bytes: last.bytes + (last.value.isEmpty ? [] : [0x20]) + more)
  }

  /// The first field that cannot be sent: its name is no token, or its value would end the line (RFC 9110, section 5.5).
  var firstInvalidField: Field? {
    fields.first { field in
      field.name.isEmpty || !field.name.utf8.allSatisfy(ASCIIText.isToken)
        || !Self.isValidValue(field.value)
    }
  }

  /// Returns whether a value stays within its line.
  static func isValidValue(_ value: String) -> Bool { !value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }
}
