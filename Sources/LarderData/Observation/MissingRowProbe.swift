import LarderSQLite
import LarderSupport

/// The probe of an object without a row: the first access to the object states the reason and ends the program.
// @unchecked: it has no mutable state.
final class MissingRowProbe: _ObservationProbe, @unchecked Sendable {
  private let reason: String

  /// The probes, which nothing else retains. A program that reads such an object ends. A program that only calls `model(for:)`,
  /// and never reads, must not fill its memory with reasons.
  private static let cache = Locked<[String: MissingRowProbe]>([:])
  private static let maximumCacheSize = 1_000
  private static let generic = MissingRowProbe(
    "model(for:) was asked for an identifier of which there is no row. Use existingModel(for:as:) for identifiers that may "
      + "be gone.")

  /// Returns the probe of an object without a row. A probe is never released.
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
