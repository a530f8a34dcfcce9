// Errors are created only when they occur, so valid documents pay nothing for them.

extension JSONReader {
  /// Returns an error for a place in the window.
  @inline(never)
  func error(_ code: JSONError.Code, at place: UnsafePointer<UInt8>, _ message: String? = nil) -> JSONError {
    window.rereadByteCount += max(place - position, 0)
    let place = lines.position(position, place - position, offset: offset)
    return JSONError(
      code: code, offset: place.offset, line: place.line, column: place.column, path: path, message: message)
  }

  /// The path to the value that comes next, or is being read.
  public var path: [JSONError.PathElement] {
    var path: [JSONError.PathElement] = []
    let depth = depth
    guard depth > 0 else { return [] }
    for level in 1...depth {
      let frame = window.frames[level]
      let number = frame.latestLengthOrIndex
      guard number >= 0 else { continue }
      if !frame.isObject {
        path.append(.index(number))
      } else if let key = frame.key {
        path.append(.key(JSONReader.unescaped(key, number)))
      } else if level < window.copiedKeys.count {
        path.append(.key(window.copiedKeys[level]))
      }
    }
    return path
  }

  /// Returns an error at the reader's place: for types that read themselves and reject a value.
  ///
  /// ```swift
  /// guard let currency = Currency(code) else { throw reader.invalid("A currency has three capital letters.") }
  /// ```
  ///
  /// - Parameter message: The rule that the value violates and how to correct it, without the value itself.
  public func invalid(_ message: String) -> JSONError { error(.invalidValue, at: position, message) }

  /// Returns an error for a key that is missing from the object that was read last.
  @inline(never)
  public func missingKey(_ key: String) -> JSONError {
    var missing = error(
      .keyNotFound, at: position, "The object has no key \"\(key)\". \(JSONError.Code.keyNotFound.defaultMessage)")
    missing.path.append(.key(key))
    return missing
  }

  @inline(never)
  func misuse(_ message: String) -> JSONError { error(.misuse, at: position, message) }

  /// Returns an error for a next value that is absent or of another kind.
  @inline(never)
  mutating func mismatch(_ wanted: String) -> JSONError {
    guard position < end else { return error(.unexpectedEnd, at: position) }
    let kind: JSONKind
    do { kind = try peek() } catch let error as JSONError { return error } catch { return notAValue() }
    if kind == .null {
      return error(.valueNotFound, at: position, "Expected \(wanted) but found null. Make it an optional if it may be.")
    }
    return error(.typeMismatch, at: position, "Expected \(wanted) but found \(kind.phrase).")
  }

  /// Returns an error for bytes that begin no value.
  @inline(never)
  func notAValue() -> JSONError {
    guard position < end else { return error(.unexpectedEnd, at: position) }
    switch position.pointee {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      return error(.invalidLiteral, at: position)
    case ASCIIByte.plus, ASCIIByte.point: return error(.invalidNumber, at: position)
    case 0x80...: return invalidUTF8(at: position) ?? unexpected(at: position, "a value")
    default: return unexpected(at: position, "a value")
    }
  }

  @inline(never)
  func unexpected(at place: UnsafePointer<UInt8>, _ wanted: String) -> JSONError {
    numberError(at: place) ?? invalidUTF8(at: place)
      ?? error(.unexpectedCharacter, at: place, "Expected \(wanted) here.")
  }

  /// Returns the error for a number followed by a character that cannot continue it, or `nil` if no number precedes the place.
  func numberError(at place: UnsafePointer<UInt8>) -> JSONError? {
    guard place > UnsafePointer(window.base), place < end else { return nil }
    let before = (place - 1).pointee
    let isNumber = ASCIIByte.isDigit(before)
    switch place.pointee {
    case ASCIIByte.zero...ASCIIByte.nine, ASCIIByte.point, ASCIIByte.plus, ASCIIByte.minus, UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      return isNumber ? error(.invalidNumber, at: place) : nil
    default: return nil
    }
  }

  private func invalidUTF8(at place: UnsafePointer<UInt8>) -> JSONError? {
    // Looks at the first byte only: the others may not have arrived.
    guard place < end, !UTF8Sequence.isLeadByte(place.pointee), place.pointee >= 0x80 else { return nil }
    return error(.invalidUTF8, at: place)
  }
}

extension JSONKind {
  /// The kind in the wording of a message.
  var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "true or false"
    case .null: "null"
    }
  }
}
