extension Expected {
  static let marker = #"""
    class Marker {

      @exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()

      private static let _$own = LarderData.ModelLayout(for: Marker.self, scalars: [])

      public class var _$layout: LarderData.ModelLayout { _$own }

      public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData.RowReader) {
      }

      public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask) {
      }

      public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask) {
      }

      public class func _$load(
        _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
      ) throws { try LarderData._$load(Marker.self, rows, state, into: models) }

      public class func _$insertAll(_ state: LarderData.EntityState, _ rows: LarderData.InsertingRows) throws {
        try LarderData._$insertAll(Marker.self, state, rows)
      }

      public class func _$updateAll(_ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows) throws {
        try LarderData._$updateAll(Marker.self, state, rows)
      }

      public func _$key(_ property: Int) -> Int64 { 0 }

      public func _$relation(_ property: Int) -> LarderData.RelationValue { .none }

      public func _$change(_ property: Int, _ change: LarderData.RelationChange) {}

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
