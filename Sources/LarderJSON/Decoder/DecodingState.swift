import Foundation

/// A value of the tape, and its place.
struct TapeValue {
  /// The index of the value's entry; `Tape.noIndex` for an absent value, which counts as null.
  var index: UInt32
  /// The index of the enclosing container.
  var parent: UInt32
  /// The position in the container, if that is an array. For an absent value: the index of its key in `missingKeys`.
  var position: UInt32
}

/// The state that all containers of one value share.
///
/// A container holds a reference to the state and the index of a tape entry: nothing is allocated for a value, and only the
/// container for an object. Text and tape belong to the reader while it decodes; if a container outlives that, the state copies
/// the text.
final class DecodingState {
  var options: DecodingOptions
  private var tape = Tape()
  private(set) var entries: UnsafeMutablePointer<TapeEntry>
  private(set) var base: UnsafePointer<UInt8>
  private(set) var textCount = 0
  private var copiedText: UnsafeMutablePointer<UInt8>?
  /// The table of converted keys, where the conversion does not depend on a key's path.
  private(set) var keyTable: KeyTable?
  /// How keys are converted.
  private(set) var keyConversion = KeyConversion.none
  /// Keys of the decoders for absent values.
  private var missingKeys: [String] = []
  /// The line index of the text, for errors.
  private var lineIndex: LineIndex?
  private var path: [JSONError.PathElement] = []

  enum KeyConversion {
    case none
    /// By the table.
    case uniform
    /// By a function of the coding path.
    case custom(([any CodingKey]) -> any CodingKey)
  }

  init(_ options: DecodingOptions) {
    self.options = options
    base = Window.emptyBuffer
    entries = tape.entries
    switch options.key {
    case .useDefaultKeys: break
    case .convertFromSnakeCase:
      keyConversion = .uniform
      keyTable = KeyTable(convert: SnakeCase.camelCase)
    case .custom(let convert): keyConversion = .custom(convert)
    @unknown default: break
    }
  }

  deinit { copiedText?.deallocate() }

  // MARK: One value

  /// Reads one value and decodes it.
  ///
  /// If a container is still referenced afterwards, it keeps the state together with a copy of the text, and `state` is replaced
  /// by a new one.
  static func decode<Value: Decodable>(
    _ type: Value.Type, with state: inout DecodingState, from reader: inout JSONReader,
    before body: (inout JSONReader) throws -> Void = { _ in }
  ) throws -> Value {
    try state.fill(from: &reader)
    try body(&reader)
    defer {
      if !isKnownUniquelyReferenced(&state) {
        state.copyText()
        state = DecodingState(state.options)
      }
    }
    return try state.decode(type, TapeValue(index: 0, parent: Tape.noIndex, position: 0))
  }

  private func fill(from reader: inout JSONReader) throws {
    if let keyTable, keyTable.isFull { self.keyTable = KeyTable(convert: SnakeCase.camelCase) }
    if !missingKeys.isEmpty { missingKeys.removeAll() }
    _ = try reader.nextByte()
    let window = reader.window
    let hadPin = window.pin != nil
    if !hadPin { window.pin = reader.position - UnsafePointer(window.base) }
    defer { if !hadPin { window.pin = nil } }
    let start = reader.offset
    let lines = reader.lines
    try tape.fill(from: &reader, base: start, keys: keyTable)
    textCount = reader.offset - start
    base = UnsafePointer(window.base) + (start - window.offset)
    entries = tape.entries
    lineIndex = LineIndex(offset: start, lines: lines)
    path = reader.depth == 0 ? [] : reader.path
  }

  private func copyText() {
    let text = UnsafeMutablePointer<UInt8>.allocate(capacity: max(textCount, 1))
    text.initialize(from: base, count: textCount)
    copiedText = text
    base = UnsafePointer(text)
  }

  // MARK: Errors

  /// Returns an error with the line and column of an entry, where they are still known.
  func error(_ code: JSONError.Code, at value: TapeValue, _ message: String? = nil) -> JSONError {
    var error = JSONError(code: code, message: message)
    error.path =
      path + codingPath(of: value).map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }
    if lineIndex != nil {
      let index = value.index == Tape.noIndex ? value.parent : value.index
      let offset = index == Tape.noIndex ? 0 : Int(entries[Int(index)].offset)
      (error.offset, error.line, error.column) = lineIndex?.position(base, offset) ?? (0, 1, 1)
    }
    return error
  }

  /// Returns the path from the top level to a value.
  func codingPath(of value: TapeValue) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var value = value
    while value.parent != Tape.noIndex {
      let container = entries[Int(value.parent)]
      if value.index == Tape.noIndex {
        keys.append(JSONPathKey(stringValue: missingKeys[Int(value.position)]))
      } else if container.kind == .array {
        keys.append(JSONPathKey(intValue: Int(value.position)))
      } else {
        keys.append(JSONPathKey(stringValue: key(at: value.index - 1, in: value.parent)))
      }
      value = containerValue(value.parent)
    }
    return keys.reversed()
  }

  /// Returns a container as a value of its enclosing container.
  func containerValue(_ index: UInt32) -> TapeValue {
    let link = entries[Int(index) + 1]
    return TapeValue(index: index, parent: link.offset, position: link.length)
  }

  /// Returns an absent value, for a decoder that a type requests nevertheless.
  func missingValue(_ key: any CodingKey, in container: UInt32) -> TapeValue {
    missingKeys.append(key.stringValue)
    return TapeValue(index: Tape.noIndex, parent: container, position: UInt32(missingKeys.count - 1))
  }

  // MARK: Text

  @inline(__always)
  func text(_ entry: TapeEntry) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + Int(entry.offset), count: Int(entry.length))
  }

  @inline(__always)
  func string(_ entry: TapeEntry) -> String {
    if _slowPath(entry.hasEscapes) { return JSONReader.unescaped(base + Int(entry.offset), Int(entry.length)) }
    return String(decoding: text(entry), as: UTF8.self)
  }
}
