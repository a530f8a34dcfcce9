import Foundation
import LarderData
import SwiftData

/// A model of which these tests ask for nothing but its metadata.
protocol SchemaOnly: PersistentModel {}

extension SchemaOnly {
  init(backingData: any BackingData<Self>) { fatalError("not made in these tests") }
  init(_$row row: borrowing RowReader) { fatalError("not made in these tests") }
  var persistentBackingData: any BackingData<Self> {
    get { fatalError("not read in these tests") }
    set { fatalError("not written in these tests") }
  }
  static var _$layout: ModelLayout { fatalError("not stored in these tests") }
  var _$header: UnsafeMutablePointer<ModelHeader.Fields> { fatalError("not stored in these tests") }
  func _$bind(_ binder: inout RowBinder, _ mask: PropertyMask) {}
  func _$assign(_ row: borrowing RowReader, _ mask: PropertyMask) {}
  static func _$load(_ rows: StoredRows, _ state: EntityState, into models: ModelArray) throws {}
  static func _$insertAll(_ state: EntityState, _ rows: InsertingRows) throws {}
  static func _$updateAll(_ state: EntityState, _ rows: UpdatingRows) throws {}
}
