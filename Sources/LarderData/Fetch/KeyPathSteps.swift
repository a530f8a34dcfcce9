import Foundation
import LarderSQLite
import LarderSupport

/// The steps of a key path as text. A property has the same text no matter how the key path was made.
///
/// A key path through an optional cannot be built from its parts. So it is recognised by its description, which has
/// the address of an accessor for each property of a model. One property has several accessors: `\Cat.name` has a
/// different one than `\Animal.name`, and than the accessor that `@Model` writes for all subclasses at once. Such key
/// paths are equal because of the property's identity, which the key path stores before the accessor. The text has this
/// identity in place of the address.
enum KeyPathSteps {
  /// Returns the description without the root: `.<computed 0x… (Optional<Home>)>?.name?`.
  static func text(_ keyPath: AnyKeyPath) -> String {
    var rest = "\(keyPath)"[...]
    let root = "\\\(type(of: keyPath).rootType)"
    rest = rest.hasPrefix(root) ? rest.dropFirst(root.count) : rest.drop { $0 != "." }
    var identities = KeyPathIdentities(keyPath)
    var text = ""
    while let start = rest.range(of: address) {
      text += rest[..<start.upperBound]
      rest = rest[start.upperBound...]
      let digits = rest.prefix { $0.isHexDigit }
      rest = rest[digits.endIndex...]
      let identity = UInt(digits, radix: 16).flatMap { identities.next(before: $0) }
      text += identity.map { String($0, radix: 16) } ?? String(digits)
    }
    return text + rest
  }

  /// The text before the address of an accessor in a description.
  private static let address = "<computed 0x"

  /// Returns the steps of each property of a model, by index. Cached, because every sort may need them.
  static func properties(of layout: _ModelLayout) -> [String] {
    if let made = cache.withLock({ $0[layout.id] }) { return made }
    let steps = layout.properties.map { text($0.layoutKeyPath) }
    cache.withLock { $0[layout.id] = steps }
    return steps
  }

  private static let cache = Locked<[Int: [String]]>([:])
}

/// The identities of the properties in a key path, read from the key path's memory. No other code does so.
///
/// For each computed step a key path stores a word that identifies the property, and in the next word the address of its
/// accessor. This address is known from the description. If the words are not found as expected, nothing is used.
struct KeyPathIdentities {
  private let words: [UInt]
  private var position = 1

  init(_ keyPath: AnyKeyPath) {
    words = withExtendedLifetime(keyPath) {
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let header = object.load(fromByteOffset: KeyPathIdentities.header, as: UInt32.self)
      let size = Int(header & KeyPathIdentities.sizeMask)
      // The size is that of the steps, so no memory after the object is read.
      return stride(from: 0, to: size - size % MemoryLayout<UInt>.size, by: MemoryLayout<UInt>.size).map {
        object.load(fromByteOffset: KeyPathIdentities.steps + $0, as: UInt.self)
      }
    }
  }

  /// Returns the word before the next one that is the address of this accessor.
  mutating func next(before accessor: UInt) -> UInt? {
    guard position < words.count, let place = words[position...].firstIndex(of: accessor) else { return nil }
    position = place + 1
    return words[place - 1]
  }

  /// Returns whether the key path is one step, to a protocol requirement. A requirement is stored as an index into the
  /// protocol's table.
  static func isOfRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard beginsWithRequirement(keyPath) else { return false }
    return "\(keyPath)".components(separatedBy: address).count == 2 && !"\(keyPath)".contains(">.")
  }

  /// Returns whether the first step is to a protocol requirement.
  static func beginsWithRequirement(_ keyPath: AnyKeyPath) -> Bool {
    withExtendedLifetime(keyPath) {
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let size = Int(object.load(fromByteOffset: header, as: UInt32.self) & sizeMask)
      guard size >= MemoryLayout<UInt>.size else { return false }
      let first = object.load(fromByteOffset: steps, as: UInt32.self)
      return first & computedFlag == computedFlag
        && first & (tableOffsetFlag | argumentsFlag) == tableOffsetFlag | argumentsFlag
    }
  }

  private static let address = "<computed 0x"
  // Flags of a computed step, of a step that is stored as an index into a table, and of a step with arguments.
  private static let computedFlag: UInt32 = 0x200_0000
  private static let tableOffsetFlag: UInt32 = 0x10_0000
  private static let argumentsFlag: UInt32 = 0x8_0000

  // An object's header of two words and a word for the text that Objective-C may ask for, then the size of the steps
  // in the low bits of a number, and the steps from the next word on.
  private static let header = 3 * MemoryLayout<UInt>.size
  private static let steps = 4 * MemoryLayout<UInt>.size
  private static let sizeMask: UInt32 = 0xFF_FFFF
}
