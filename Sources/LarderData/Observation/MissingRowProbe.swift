import LarderSQLite

/// The probe of an object that stands for no row: the first access to the object says why and ends the program.
// @unchecked: nothing in it changes.
final class MissingRowProbe: ObservationProbe, @unchecked Sendable {
  private let reason: String

  /// Nothing else holds the probe of such an object, and there are few: a program that reads one ends.
  private static let kept = Locked<[MissingRowProbe]>([])

  /// The probe for an object that stands for nothing; it is there for good.
  static func make(_ reason: String) -> Unmanaged<ObservationProbe> {
    let probe = MissingRowProbe(reason)
    kept.withLock { $0.append(probe) }
    return .passUnretained(probe)
  }

  private init(_ reason: String) { self.reason = reason }

  override func registrarIfTracking(adoptedBy header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool {
    preconditionFailure(reason)
  }
}
