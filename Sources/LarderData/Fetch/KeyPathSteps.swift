import Foundation
import LarderSQLite
import LarderSupport

/// The steps of a key path as text in which each property is the same however the key path came about.
///
/// A key path through an optional cannot be put together from its parts, so it is told by its description, which has
/// the address of an accessor for each property of a model. Of one property there are several accessors: `\Cat.name`
/// has another than `\Animal.name`, and than the one that `@Model` writes for all subclasses at once. What makes such
/// key paths equal is the property's identity, which the key path has before the accessor; it takes the address's place.
enum KeyPathSteps {
  /// The description without the root: `.<computed 0x… (Optional<Home>)>?.name?`.
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

  /// What the description has before the address of an accessor.
  private static let address = "<computed 0x"

  /// The steps to each property of a model, by their places. Made once, because every sort may ask for them.
  static func properties(of layout: _ModelLayout) -> [String] {
    if let made = cache.withLock({ $0[layout.id] }) { return made }
    let steps = layout.properties.map { text($0.layoutKeyPath) }
    cache.withLock { $0[layout.id] = steps }
    return steps
  }

  private static let cache = Locked<[Int: [String]]>([:])
}

/// What identifies the properties that a key path goes through, read from its memory: the only place that does so.
///
/// A key path holds for each computed step a word that identifies the property, and the address of its accessor in the
/// next one. That address is known from the description; where the words are not found as expected, nothing is taken.
struct KeyPathIdentities {
  private let words: [UInt]
  private var position = 1

  init(_ keyPath: AnyKeyPath) {
    words = withExtendedLifetime(keyPath) {
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let header = object.load(fromByteOffset: KeyPathIdentities.header, as: UInt32.self)
      let size = Int(header & KeyPathIdentities.sizeMask)
      // The size is that of the steps, so nothing past the object is read.
      return stride(from: 0, to: size - size % MemoryLayout<UInt>.size, by: MemoryLayout<UInt>.size).map {
        object.load(fromByteOffset: KeyPathIdentities.steps + $0, as: UInt.self)
      }
    }
  }

  /// The word before the next one that is the address of this accessor.
  mutating func next(before accessor: UInt) -> UInt? {
    guard position < words.count, let place = words[position...].firstIndex(of: accessor) else { return nil }
    position = place + 1
    return words[place - 1]
  }

  /// Whether it is one step, to what a protocol requires: that is known by its place in the protocol's table.
  static func isOfRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard beginsWithRequirement(keyPath) else { return false }
    return "\(keyPath)".components(separatedBy: address).count == 2 && !"\(keyPath)".contains(">.")
  }

  /// Whether its first step is to what a protocol requires.
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
  // Flags of a step that is computed, of one that is known by its place in a table, and of one with arguments of its own.
  private static let computedFlag: UInt32 = 0x200_0000
  private static let tableOffsetFlag: UInt32 = 0x10_0000
  private static let argumentsFlag: UInt32 = 0x8_0000

  // An object's header of two words and a word for the text that Objective-C may ask for, then the size of the steps
  // in the low bits of a number, and the steps from the next word on.
  private static let header = 3 * MemoryLayout<UInt>.size
  private static let steps = 4 * MemoryLayout<UInt>.size
  private static let sizeMask: UInt32 = 0xFF_FFFF
}
