/// The expansions that the tests compare as whole text.
enum Expected {
  static let quake = #"""
    class Quake {
      var code: String {
      @storageRestrictions(initializes: _code)
      init(initialValue) { _code = initialValue }
      get {
        _$access(\.code)
        return _code
      }
      set {
        if LarderData._$same(_code, newValue) { return }
        if _$h.fields.changed & 0x1 == 0 { _$willWrite(0) }
        if _$h.fields.registrar == nil { _code = newValue } else { _$mutate(\.code) { _code = newValue } }
      }
      }

      private final var _code: String
      var magnitude: Double {  // Richter
      @storageRestrictions(initializes: _magnitude)
      init(initialValue) { _magnitude = initialValue }
      get {
        _$access(\.magnitude)
        return _magnitude
      }
      set {
        if LarderData._$same(_magnitude, newValue) { return }
        if _$h.fields.changed & 0x2 == 0 { _$willWrite(1) }
        if _$h.fields.registrar == nil { _magnitude = newValue } else { _$mutate(\.magnitude) { _magnitude = newValue } }
      }
      }

      private final var _magnitude: Double
      var location: Location {
      @storageRestrictions(initializes: _location)
      init(initialValue) { _location = initialValue }
      get {
        _$access(\.location)
        return _$get(_location, 2)
      }
      set {
        if _$isSame(_location, newValue, 2) { return }
        if _$h.fields.changed & 0x4 == 0 { _$willWrite(2) }
        if _$h.fields.registrar == nil { _location = newValue } else { _$mutate(\.location) { _location = newValue } }
      }
      }

      private final var _location: Optional<Location>
      var note: String? {
      @storageRestrictions(initializes: _note)
      init(initialValue) { _note = initialValue }
      get {
        _$access(\.note)
        return _note
      }
      set {
        if LarderData._$same(_note, newValue) { return }
        if _$h.fields.changed & 0x8 == 0 { _$willWrite(3) }
        if _$h.fields.registrar == nil { _note = newValue } else { _$mutate(\.note) { _note = newValue } }
      }
      }

      private final var _note: Optional<String>
      var seen = false
      init(code: String, location: Location) {
        self.code = code
        self.location = location
      }

      private final var _$h = LarderData.ModelHeader()

      public static let _$layout = LarderData.ModelLayout(for: Quake.self, scalars: [0, 1, 3])

      public var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData.RowReader) {
        _code = row.read(2)
        _magnitude = row.read(3)
        _note = row.read(4)
        _location = row.decode(2, as: (Location).self)
      }

      public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: UInt64) {
        if mask & 0x1 != 0 { binder.bind(_code) }
        if mask & 0x2 != 0 { binder.bind(_magnitude) }
        if mask & 0x8 != 0 { binder.bind(_note) }
        if mask & 0x4 != 0 { binder.encode(_location, 2) }
      }

      public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
        if mask & 0x1 != 0 {
          let value = row.read(2, as: String.self)
          if !LarderData._$same(_code, value) {
            _$mutate(\.code) { _code = value }
          }
        }
        if mask & 0x2 != 0 {
          let value = row.read(3, as: Double.self)
          if !LarderData._$same(_magnitude, value) {
            _$mutate(\.magnitude) { _magnitude = value }
          }
        }
        if mask & 0x8 != 0 {
          let value = row.read(4, as: String?.self)
          if !LarderData._$same(_note, value) {
            _$mutate(\.note) { _note = value }
          }
        }
        if mask & 0x4 != 0 {
          let value = row.decode(2, as: (Location).self)
          _$mutate(\.location) { _location = value }
        }
      }

      public required init(backingData: any LarderData.BackingData<Quake>) {
        _code = LarderData._$zero()
        _magnitude = LarderData._$zero()
        _location = nil
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

      internal nonisolated func access<_M>(keyPath: KeyPath<Quake, _M>) { _$access(keyPath) }

      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<Quake, _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }
    }

    nonisolated extension Quake: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Quake's persistentModelID instead")
    extension Quake: Sendable {}
    """#
}
