extension Expected {
  static let marker = #"""
    class Marker {

      @exclusivity(unchecked) private final var _$headerStorage = LarderData._ModelHeader()

      private static let _$ownLayout = LarderData._ModelLayout(for: Marker.self, scalars: [])

      public class var _$layout: LarderData._ModelLayout { _$ownLayout }

      public final var _$header: UnsafeMutablePointer<LarderData._ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$headerStorage.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData._RowReader) {
      }

      public func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
      }

      public func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask) {
      }

      public class func _$load(
        _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
      ) throws { try LarderData._$load(Marker.self, rows, table, into: models) }

      public class func _$insertAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter) throws {
        try LarderData._$insertAll(Marker.self, table, rows)
      }

      public class func _$updateAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater) throws {
        try LarderData._$updateAll(Marker.self, table, rows)
      }

      public func _$foreignKey(_ property: Int) -> Int64 { 0 }

      public func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue { .none }

      public func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {}

      public required init(backingData: any LarderData.BackingData<Marker>) {
        _$adopt(backingData)
      }

      public var persistentBackingData: any LarderData.BackingData<Marker> {
        get { _$backingData() }
        set { _$adopt(newValue) }
      }

      public class var schemaMetadata: [LarderData.Schema.PropertyMetadata] {
        [
        ]
      }

      public static func _$keyPaths<_M: Marker>(_ model: _M.Type) -> [AnyKeyPath] { [] }

      internal nonisolated func access<_M>(keyPath: KeyPath<Marker, _M>) { _$access(keyPath) }

      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<Marker, _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }

      @_implements(Equatable, ==(_:_:))
      public static func _$equals(_ left: Marker, _ right: Marker) -> Bool {
        LarderData._$equal(left, right, left == right)
      }

      init() {}
    }

    nonisolated extension Marker: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Marker's persistentModelID instead")
    extension Marker: Sendable {}
    """#
}
