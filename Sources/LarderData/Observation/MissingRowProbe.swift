import LarderSQLite
import LarderSupport

/// The probe of an object that stands for no row: the first access to the object says why and ends the program.
// @unchecked: nothing in it changes.
final class MissingRowProbe: _ObservationProbe, @unchecked Sendable {
  private let reason: String

  /// Nothing else holds the probe of such an object. A program that reads one ends; one that only asks, and never
  /// reads, must not fill its memory with reasons.
  private static let cache = Locked<[String: MissingRowProbe]>([:])
  private static let maximumCacheSize = 1_000
  private static let generic = MissingRowProbe(
    "model(for:) was asked for an identifier of which there is no row. Use existingModel(for:as:) for identifiers that may "
      + "be gone.")

  /// The probe for an object that stands for nothing; it is there for good.
  static func make(_ reason: String) -> Unmanaged<_ObservationProbe> {
    cache.withLock { kept in
      if let known = kept[reason] { return .passUnretained(known) }
      if kept.count >= maximumCacheSize { return .passUnretained(generic) }
      let probe = MissingRowProbe(reason)
      kept[reason] = probe
      return .passUnretained(probe)
    }
  }

  private init(_ reason: String) { self.reason = reason }

  override func installRegistrarIfTracking(in header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    preconditionFailure(reason)
  }
}
