import Foundation
import LarderData
import SwiftData

/// A model of which these tests ask for nothing but its metadata.
protocol SchemaOnly: PersistentModel {}

extension SchemaOnly {
  init(backingData: any BackingData<Self>) { fatalError("not made in these tests") }
  init(_$row row: borrowing _RowReader) { fatalError("not made in these tests") }
  var persistentBackingData: any BackingData<Self> {
    get { fatalError("not read in these tests") }
    set { fatalError("not written in these tests") }
  }
  static var _$layout: _ModelLayout { fatalError("not stored in these tests") }
  var _$header: UnsafeMutablePointer<_ModelHeader.Fields> { fatalError("not stored in these tests") }
  func _$bind(_ binder: inout _RowBinder, _ mask: _PropertyMask) {}
  func _$assign(_ row: borrowing _RowReader, _ mask: _PropertyMask) {}
  static func _$load(_ rows: _RowCursor, _ table: _InstanceTable, into models: _ModelArrayPointer) throws {}
  static func _$insertAll(_ table: _InstanceTable, _ rows: _RowInserter) throws {}
  static func _$updateAll(_ table: _InstanceTable, _ rows: _RowUpdater) throws {}
}
