/// The probe of an object that stands for no row: the first access to the object says why and ends the program.
final class MissingRowProbe: ObservationProbe {
  private let reason: String

  init(_ reason: String) { self.reason = reason }

  override func registrarIfTracking(adoptedBy header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool {
    preconditionFailure(reason)
  }
}
