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
        return _$get(_location, location_$k, 2)
      }
      set {
        if _$isSame(_location, location_$k, newValue, 2) { return }
        if _$relate(newValue, _location, location_$k, 2) { return }
        if _$h.fields.changed & 0x4 == 0 { _$willWrite(2) }
        if _$h.fields.registrar == nil { _location = newValue } else { _$mutate(\.location) { _location = newValue } }
      }
      }

      private final var _location: Optional<Location>

      private final var location_$k = LarderData._$key((Location).self)
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

      private static let _$own = LarderData.ModelLayout(for: Quake.self, scalars: [0, 1, 3])

      public class var _$layout: LarderData.ModelLayout { _$own }

      public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData.RowReader) {
        _code = row.read(2)
        _magnitude = row.read(3)
        _note = row.read(4)
        _location = nil
        row.restore(&_location, &location_$k, 2)
      }

      public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: UInt64) {
        if mask & 0x1 != 0 { binder.bind(_code) }
        if mask & 0x2 != 0 { binder.bind(_magnitude) }
        if mask & 0x8 != 0 { binder.bind(_note) }
        if mask & 0x4 != 0 { binder.encode(_location, location_$k, 2) }
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
          var value = _location, key = location_$k
          row.restore(&value, &key, 2)
          if _$differs(_location, location_$k, value, key, 2) {
            _$mutate(\.location) { _location = value; location_$k = key }
          }
        }
      }

      public class func _$load(
        _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
      ) throws { try LarderData._$load(Quake.self, rows, state, into: models) }

      public class func _$insertAll(_ state: LarderData.EntityState, _ rows: LarderData.InsertingRows) throws {
        try LarderData._$insertAll(Quake.self, state, rows)
      }

      public class func _$updateAll(_ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows) throws {
        try LarderData._$updateAll(Quake.self, state, rows)
      }

      public func _$key(_ property: Int) -> Int64 {
        switch property {
        case 2: LarderData._$rowKey(_location, location_$k)
        default: 0
        }
      }

      public func _$relation(_ property: Int) -> LarderData.RelationValue {
        switch property {
        case 2: LarderData._$related(_location, location_$k)
        default: .none
        }
      }

      public func _$change(_ property: Int, _ change: LarderData.RelationChange) {
        switch property {
        case 2: LarderData._$apply(change, &_location, &location_$k)
        default: break
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

      public static func _$keyPaths<_M: Quake>(_ model: _M.Type) -> [AnyKeyPath] { [\_M.code, \_M.magnitude, \_M.location, \_M.note] }

      internal nonisolated func access<_M>(keyPath: KeyPath<Quake, _M>) { _$access(keyPath) }

      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<Quake, _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }
    }

    nonisolated extension Quake: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Quake's persistentModelID instead")
    extension Quake: Sendable {}
    """#

  static let trip = #"""
    enum SchemaV1 {
      public final class Trip {
        var code {
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
        var state {
        @storageRestrictions(initializes: _state)
        init(initialValue) { _state = initialValue }
        get {
          _$access(\.state)
          return _$get(_state, state_$k, 1)
        }
        set {
          if _$isSame(_state, state_$k, newValue, 1) { return }
          if _$relate(newValue, _state, state_$k, 1) { return }
          if _$h.fields.changed & 0x2 == 0 { _$willWrite(1) }
          if _$h.fields.registrar == nil { _state = newValue } else { _$mutate(\.state) { _state = newValue } }
        }
        }

        private final var _state = Optional(State.draft)

        private final var state_$k = LarderData._$key(of: State.draft)
        var stops: [Stop] {
        @storageRestrictions(initializes: _stops)
        init(initialValue) { _stops = initialValue }
        get {
          _$access(\.stops)
          return _$get(_stops, stops_$k, 2)
        }
        set {
          if _$isSame(_stops, stops_$k, newValue, 2) { return }
          if _$relate(newValue, _stops, stops_$k, 2) { return }
          if _$h.fields.changed & 0x4 == 0 { _$willWrite(2) }
          if _$h.fields.registrar == nil { _stops = newValue } else { _$mutate(\.stops) { _stops = newValue } }
        }
        }

        private final var _stops: Optional<[Stop]>

        private final var stops_$k = LarderData._$key(([Stop]).self)

        private final var _$h = LarderData.ModelHeader()

        public static let _$layout = LarderData.ModelLayout(for: Trip.self, scalars: [0])

        public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
          unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
        }

        public init(_$row row: borrowing LarderData.RowReader) {
          _code = row.read(2)
          _state = nil
          row.restore(&_state, &state_$k, 1)
          _stops = nil
          row.restore(&_stops, &stops_$k, 2)
        }

        public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: UInt64) {
          if mask & 0x1 != 0 { binder.bind(_code) }
          if mask & 0x2 != 0 { binder.encode(_state, state_$k, 1) }
          if mask & 0x4 != 0 { binder.encode(_stops, stops_$k, 2) }
        }

        public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
          if mask & 0x1 != 0 {
            let value = row.read(2, as: String.self)
            if !LarderData._$same(_code, value) {
              _$mutate(\.code) { _code = value }
            }
          }
          if mask & 0x2 != 0 {
            var value = _state, key = state_$k
            row.restore(&value, &key, 1)
            if _$differs(_state, state_$k, value, key, 1) {
              _$mutate(\.state) { _state = value; state_$k = key }
            }
          }
          if mask & 0x4 != 0 {
            var value = _stops, key = stops_$k
            row.restore(&value, &key, 2)
            if _$differs(_stops, stops_$k, value, key, 2) {
              _$mutate(\.stops) { _stops = value; stops_$k = key }
            }
          }
        }

        public static func _$load(
          _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
        ) throws { try LarderData._$load(Trip.self, rows, state, into: models) }

        public static func _$insertAll(_ state: LarderData.EntityState, _ rows: LarderData.InsertingRows) throws {
          try LarderData._$insertAll(Trip.self, state, rows)
        }

        public static func _$updateAll(_ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows) throws {
          try LarderData._$updateAll(Trip.self, state, rows)
        }

        public func _$key(_ property: Int) -> Int64 {
          switch property {
          case 1: LarderData._$rowKey(_state, state_$k)
          case 2: LarderData._$rowKey(_stops, stops_$k)
          default: 0
          }
        }

        public func _$relation(_ property: Int) -> LarderData.RelationValue {
          switch property {
          case 1: LarderData._$related(_state, state_$k)
          case 2: LarderData._$related(_stops, stops_$k)
          default: .none
          }
        }

        public func _$change(_ property: Int, _ change: LarderData.RelationChange) {
          switch property {
          case 1: LarderData._$apply(change, &_state, &state_$k)
          case 2: LarderData._$apply(change, &_stops, &stops_$k)
          default: break
          }
        }

        public init(backingData: any LarderData.BackingData<Trip>) {
          _code = LarderData._$zero()
          _state = nil
          _stops = nil
          _$adopt(backingData)
        }

        public var persistentBackingData: any LarderData.BackingData<Trip> {
          get { _$backingData() }
          set { _$adopt(newValue) }
        }

        public static var schemaMetadata: [LarderData.Schema.PropertyMetadata] {
          [
            LarderData.Schema.PropertyMetadata(name: "code", keypath: \Trip.code, defaultValue: ("") as String),
            LarderData.Schema.PropertyMetadata(name: "state", keypath: \Trip.state, defaultValue: State.draft),
            LarderData.Schema.PropertyMetadata(name: "stops", keypath: \Trip.stops, defaultValue: ([]) as [Stop], metadata: LarderData.Schema.Relationship(deleteRule: .cascade)),
            LarderData.Schema.PropertyMetadata(name: "SwiftData.Schema.Unique", keypath: \LarderData.Schema.encodingVersion, metadata: LarderData.Schema.Unique<Trip>([\.code])),
          ]
        }

        internal nonisolated func access<_M>(keyPath: KeyPath<Trip, _M>) { _$access(keyPath) }

        internal nonisolated func withMutation<_M, _MR>(
          keyPath: KeyPath<Trip, _M>, _ mutation: () throws -> _MR
        ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }

        init() {}
      }
    }

    nonisolated extension SchemaV1.Trip: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead")
    extension SchemaV1.Trip: Sendable {}
    """#

  static let marker = #"""
    class Marker {

      private final var _$h = LarderData.ModelHeader()

      private static let _$own = LarderData.ModelLayout(for: Marker.self, scalars: [])

      public class var _$layout: LarderData.ModelLayout { _$own }

      public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
        unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
      }

      public required init(_$row row: borrowing LarderData.RowReader) {
      }

      public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: UInt64) {
      }

      public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
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

      init() {}
    }

    nonisolated extension Marker: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Marker's persistentModelID instead")
    extension Marker: Sendable {}
    """#
}

extension Expected {
  static let tree = #"""
    class Tree: Plant {
      var height {
      @storageRestrictions(initializes: _height)
      init(initialValue) { _height = initialValue }
      get {
        _$access(\.height)
        return _height
      }
      set {
        if LarderData._$same(_height, newValue) { return }
        if _$changed & Self._$base.mask(0) == 0 { _$willWrite(Self._$base.place(0)) }
        if !_$isObserved { _height = newValue } else { _$mutate(\.height) { _height = newValue } }
      }
      }

      private final var _height: Double
      var bark: Bark {
      @storageRestrictions(initializes: _bark)
      init(initialValue) { _bark = initialValue }
      get {
        _$access(\.bark)
        return _$get(_bark, bark_$k, Self._$base.place(1))
      }
      set {
        if _$isSame(_bark, bark_$k, newValue, Self._$base.place(1)) { return }
        if _$relate(newValue, _bark, bark_$k, Self._$base.place(1)) { return }
        if _$changed & Self._$base.mask(1) == 0 { _$willWrite(Self._$base.place(1)) }
        if !_$isObserved { _bark = newValue } else { _$mutate(\.bark) { _bark = newValue } }
      }
      }

      private final var _bark: Optional<Bark>

      private final var bark_$k = LarderData._$key((Bark).self)
      init(bark: Bark) {
        self.bark = bark
        super.init()
      }

      private static let _$base = LarderData.SubclassBase(Plant.self)

      private static let _$own = LarderData.ModelLayout(
        for: Tree.self, scalars: [0], keyPaths: Plant._$keyPaths(Tree.self))

      public override class var _$layout: LarderData.ModelLayout { _$own }

      public required init(_$row row: borrowing LarderData.RowReader) {
        _height = LarderData._$zero()
        _bark = nil
        super.init(_$row: row)
        let first = row.first(Self._$base)
        _height = row.read(first)
        row.restore(&_bark, &bark_$k, Self._$base.place(1))
      }

      public override func _$bind(_ binder: inout LarderData.RowBinder, _ mask: UInt64) {
        super._$bind(&binder, mask)
        let mask = Self._$base.own(mask)
        if mask & 0x1 != 0 { binder.bind(_height) }
        if mask & 0x2 != 0 { binder.encode(_bark, bark_$k, Self._$base.place(1)) }
      }

      public override func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
        super._$assign(row, mask)
        let mask = Self._$base.own(mask)
        let first = row.first(Self._$base)
        if mask & 0x1 != 0 {
          let value = row.read(first, as: Double.self)
          if !LarderData._$same(_height, value) {
            _$mutate(\Tree.height) { _height = value }
          }
        }
        if mask & 0x2 != 0 {
          var value = _bark, key = bark_$k
          row.restore(&value, &key, Self._$base.place(1))
          if _$differs(_bark, bark_$k, value, key, Self._$base.place(1)) {
            _$mutate(\Tree.bark) { _bark = value; bark_$k = key }
          }
        }
      }

      public override class func _$load(
        _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
      ) throws { try LarderData._$load(Tree.self, rows, state, into: models) }

      public override class func _$insertAll(
        _ state: LarderData.EntityState, _ rows: LarderData.InsertingRows
      ) throws { try LarderData._$insertAll(Tree.self, state, rows) }

      public override class func _$updateAll(
        _ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows
      ) throws { try LarderData._$updateAll(Tree.self, state, rows) }

      public override func _$key(_ property: Int) -> Int64 {
        switch Self._$base.own(property) {
        case 1: LarderData._$rowKey(_bark, bark_$k)
        default: super._$key(property)
        }
      }

      public override func _$relation(_ property: Int) -> LarderData.RelationValue {
        switch Self._$base.own(property) {
        case 1: LarderData._$related(_bark, bark_$k)
        default: super._$relation(property)
        }
      }

      public override func _$change(_ property: Int, _ change: LarderData.RelationChange) {
        switch Self._$base.own(property) {
        case 1: LarderData._$apply(change, &_bark, &bark_$k)
        default: super._$change(property, change)
        }
      }

      public required init(backingData: any LarderData.BackingData<Plant.Root>) {
        _height = LarderData._$zero()
        _bark = nil
        super.init(backingData: backingData)
      }

      public convenience init(backingData: any LarderData.BackingData<Tree>) {
        self.init(backingData: backingData._superClassBackingData(of: Tree.self) as any LarderData.BackingData<Plant.Root>)
      }

      public override class var schemaMetadata: [LarderData.Schema.PropertyMetadata] {
        [
          LarderData.Schema.PropertyMetadata(name: "height", keypath: \Tree.height, defaultValue: (0.0) as Double),
          LarderData.Schema.PropertyMetadata(name: "bark", keypath: \Tree.bark),
        ]
      }

      public static func _$keyPaths<_M: Tree>(_ model: _M.Type) -> [AnyKeyPath] { Plant._$keyPaths(model) + [\_M.height, \_M.bark] }

      internal nonisolated func access<_M>(keyPath: KeyPath<Tree, _M>) { _$access(keyPath) }

      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<Tree, _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }
    }
    """#
}
