import LarderSupport

extension PersistentModel {
  /// Makes every further change of the object notify its context: its setters take the slow path.
  func _$trackEveryChange() {
    let header = _$header
    if header.pointee.status.contains(.changeTracked) { return }
    header.pointee.status.insert(.changeTracked)
    guard header.pointee.registrar == nil else { return }
    let box = _RegistrarBox()
    box.isForChangeTrackingOnly = true
    header.pointee.registrar = box
  }
}
