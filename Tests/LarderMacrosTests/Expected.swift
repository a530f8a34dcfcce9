/// The expansions that the tests compare as whole text.
enum Expected {
  static let quake = #"""
    class Quake {
      var code: String {
      @storageRestrictions(initializes: _code)
      init(initialValue) { _code = initialValue }
      get {
        _$access(0)
        return _code
      }
      set {
        guard _$beginChange(_code, newValue, 0) else { return }
        _code = newValue
        _$didSet(0)
      }
      }

      @exclusivity(unchecked) private final var _code: String
      var magnitude: Double {  // Richter
      @storageRestrictions(initializes: _magnitude)
      init(initialValue) { _magnitude = initialValue }
      get {
        _$access(1)
        return _magnitude
      }
      set {
        guard _$beginChange(_magnitude, newValue, 1) else { return }
        _magnitude = newValue
        _$didSet(1)
      }
      }

      @exclusivity(unchecked) private final var _magnitude: Double
      var location: Location {
      @storageRestrictions(initializes: _location)
      init(initialValue) { _location = .init(initialValue) }
      get {
        _$access(2)
        return _$get(_location.stored.value, location_$key, 2)
      }
      set {
        if _$isSame(_location.stored.value, location_$key, newValue, 2) { return }
        if _$setRelationship(newValue, _location.stored.value, location_$key, 2) { return }
        _$willChange(2)
        LarderData._$exchange(&_location.stored.value, newValue)
        _$didSet(2)
      }
      }

      @exclusivity(unchecked) private final var _location: LarderData._ValueStorage<Location>

      @exclusivity(unchecked) private final var location_$key = LarderData._$key((Location).self)
      var note: String? {
      @storageRestrictions(initializes: _note)
      init(initialValue) { _note = initialValue }
      get {
        _$access(3)
        return _note
      }
      set {
        guard _$beginChange(_note, newValue, 3) else { return }
        _note = newValue
        _$didSet(3)
      }
      }

      @exclusivity(unchecked) private final var _note: Optional<String>
      var seen = false
      init(code: String, location: Location) {
        self.code = code
        self.location = location
      }

      @exclusivity(unchecked) private final var _$headerStorage = LarderData._ModelHeader()

      private static let _$ownLayout = LarderData._ModelLayout(for: Quake.self, scalars: [0, 1, 3])

      public class var _$layout: LarderData._ModelLayout { _$ownLayout }

      public final var _$header: UnsafeMutablePointer<LarderData._ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$headerStorage.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData._RowReader) {
        _code = row.read(2)
        _magnitude = row.read(3)
        _note = row.read(4)
        _location = .init()
        row.restore(&_location.stored.value, &location_$key, 2)
      }

      public func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
        if LarderData._$contains(mask, 0x1) { binder.bind(_code) }
        if LarderData._$contains(mask, 0x2) { binder.bind(_magnitude) }
        if LarderData._$contains(mask, 0x8) { binder.bind(_note) }
        if LarderData._$contains(mask, 0x4) { binder.encode(_location.stored.value, location_$key, 2) }
      }

      public func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask) {
        if LarderData._$contains(mask, 0x1) {
          let value = row.read(2, as: String.self)
          if _$beginAssignment(_code, value, 0) {
            _code = value
            _$didSet(0)
          }
        }
        if LarderData._$contains(mask, 0x2) {
          let value = row.read(3, as: Double.self)
          if _$beginAssignment(_magnitude, value, 1) {
            _magnitude = value
            _$didSet(1)
          }
        }
        if LarderData._$contains(mask, 0x8) {
          let value = row.read(4, as: String?.self)
          if _$beginAssignment(_note, value, 3) {
            _note = value
            _$didSet(3)
          }
        }
        if LarderData._$contains(mask, 0x4) {
          var value = _location.stored.value, key = location_$key
          row.restore(&value, &key, 2)
          if _$differs(_location.stored.value, location_$key, value, key, 2) {
            _$willSet(2)
            location_$key = key
            LarderData._$exchange(&_location.stored.value, value)
            _$didSet(2)
          }
        }
      }

      public class func _$load(
        _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
      ) throws { try LarderData._$load(Quake.self, rows, table, into: models) }

      public class func _$insertAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter) throws {
        try LarderData._$insertAll(Quake.self, table, rows)
      }

      public class func _$updateAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater) throws {
        try LarderData._$updateAll(Quake.self, table, rows)
      }

      public func _$foreignKey(_ property: Int) -> Int64 {
        switch property {
        case 2: LarderData._$readForeignKey(_location.stored.value, location_$key)
        default: 0
        }
      }

      public func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue {
        switch property {
        case 2: LarderData._$readRelationship(_location.stored.value, location_$key)
        default: .none
        }
      }

      public func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {
        switch property {
        case 2: LarderData._$apply(change, &_location.stored.value, &location_$key)
        default: break
        }
      }

      public required init(backingData: any LarderData.BackingData<Quake>) {
        _code = LarderData._$zero()
        _magnitude = LarderData._$zero()
        _location = .init()
        _note = LarderData._$zero()
        _$adopt(backingData)
      }

      public var persistentBackingData: any LarderData.BackingData<Quake> {
        get { _$backingData() }
        set { _$adopt(newValue) }
      }

      public class var schemaMetadata: [LarderData.Schema.PropertyMetadata] {
        [
          LarderData.Schema.PropertyMetadata(name: "code", keypath: \Quake.code, metadata: LarderData.Schema.Attribute(.unique,  originalName: "kode")),
          LarderData.Schema.PropertyMetadata(name: "magnitude", keypath: \Quake.magnitude, defaultValue: (1) as Double),
          LarderData.Schema.PropertyMetadata(name: "location", keypath: \Quake.location),
          LarderData.Schema.PropertyMetadata(name: "note", keypath: \Quake.note),
        ]
      }

      public static func _$keyPaths<_M: Quake>(_ model: _M.Type) -> [AnyKeyPath] { [\_M.code, \_M.magnitude, \_M.location, \_M.note] }

      internal nonisolated func access<_M>(keyPath: KeyPath<Quake, _M>) { _$access(keyPath) }

      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<Quake, _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }

      @_implements(Equatable, ==(_:_:))
      public static func _$equals(_ left: Quake, _ right: Quake) -> Bool {
        LarderData._$equal(left, right, left == right)
      }
    }

    nonisolated extension Quake: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Quake's persistentModelID instead")
    extension Quake: Sendable {}
    """#
}
