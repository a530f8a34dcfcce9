import LarderSQLite
import LarderSupport

/// Proves that a type's `Codable` implementation is synthesised, by encoding and decoding samples.
///
/// The compiler's implementation creates one keyed container and visits the stored members in order, each under its
/// own name and with its own type; it uses `encodeIfPresent` and `decodeIfPresent` for optional members. Any other
/// behaviour (other keys, another order, a missing member, a changed value) means a custom implementation, which must be
/// used. So does an implementation that crashes on a sample, or never returns. Since the program itself may never have such
/// a value, the samples are tried in a copy of the process.
enum CodingProbe {
  static func hasSynthesisedCoding<Value: Codable>(
    _ type: Value.Type, _ fields: [CompositeFields.Field], _ codec: CompositeCodec<Value>
  ) -> Bool {
    let type = ObjectIdentifier(type)
    if let isKnown = cache.withLock({ $0[type] }) { return isKnown }
    let isSynthesised =
      ForkedEvaluation.evaluate { SampleKind.probeKinds.allSatisfy { self.isSynthesised(by: $0, fields, codec) } }
      ?? false
    cache.withLock { $0[type] = isSynthesised }
    return isSynthesised
  }

  /// The results for types, each of which is probed once.
  private static let cache = Locked<[ObjectIdentifier: Bool]>([:])

  private static func isSynthesised<Value: Codable>(
    by kind: SampleKind, _ fields: [CompositeFields.Field], _ codec: CompositeCodec<Value>
  ) -> Bool {
    guard let sample = codec.sample(kind) else { return false }
    let encoding = CodingTrace(sample, fields)
    let decoding = CodingTrace(sample, fields)
    do {
      try sample.encode(to: ProbeEncoder(trace: encoding))
      let copy = try Value(from: ProbeDecoder(trace: decoding))
      return encoding.isComplete && decoding.isComplete && codec.isSame(sample, copy)
    } catch {
      return false
    }
  }
}

/// A trace that follows a coding step by step, and compares each step with the next stored member.
final class CodingTrace {
  private let fields: [CompositeFields.Field]
  private let expected: [Any]
  private var next = 0
  private var containers = 0
  private var hasMismatch = false

  /// The error that ends a coding which has deviated from the expected steps.
  struct Mismatch: Error {}

  init<Value>(_ sample: Value, _ fields: [CompositeFields.Field]) {
    self.fields = fields
    expected = fields.map { field in
      func load<Member>(_ type: Member.Type) -> Any { CompositeMemory.load(type, at: field.offset, of: sample) }
      return load(field.type)
    }
  }

  var isComplete: Bool { !hasMismatch && containers == 1 && next == fields.count }

  func openContainer() { containers += 1 }

  func recordMismatch() -> Mismatch {
    hasMismatch = true
    return Mismatch()
  }

  /// Returns the sample's value for the next member, if that has this name and this type.
  func step<Member>(_ type: Member.Type, _ key: any CodingKey) throws -> Member {
    guard !hasMismatch, next < fields.count else { throw recordMismatch() }
    let field = fields[next]
    guard field.name == key.stringValue, field.type == type, let value = expected[next] as? Member else {
      throw recordMismatch()
    }
    next += 1
    return value
  }

  /// Compares an encoded value with the sample's.
  func step<Member>(_ value: Member, _ key: any CodingKey) throws {
    let codec = next < fields.count ? fields[next].codec as? _PropertyCodec<Member> : nil
    guard let codec, codec.isSame(value, try step(Member.self, key)) else { throw recordMismatch() }
  }
}
