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
        guard _$change(_code, newValue, 0) else { return }
        _code = newValue
        _$didSet(0)
      }
      }
      var magnitude: Double {  // Richter
      @storageRestrictions(initializes: _magnitude)
      init(initialValue) { _magnitude = initialValue }
      get {
        _$access(1)
        return _magnitude
      }
      set {
        guard _$change(_magnitude, newValue, 1) else { return }
        _magnitude = newValue
        _$didSet(1)
      }
      }
      var location: Location {
      @storageRestrictions(initializes: _location)
      init(initialValue) { _location = initialValue }
      get {
        _$access(2)
        return _$get(_location, location_$k, 2)
      }
      set {
        if _$isSame(_location, location_$k, newValue, 2) { return }
        if _$relate(newValue, _location, location_$k, 2) { return }
        _$willChange(2)
        _location = newValue
        _$didSet(2)
      }
      }
      var note: String? {
      @storageRestrictions(initializes: _note)
      init(initialValue) { _note = initialValue }
      get {
        _$access(3)
        return _note
      }
      set {
        guard _$change(_note, newValue, 3) else { return }
        _note = newValue
        _$didSet(3)
      }
      }
      var seen = false
      init(code: String, location: Location) {
        self.code = code
        self.location = location
      }

      @exclusivity(unchecked) private final var _code: String

      @exclusivity(unchecked) private final var _magnitude: Double

      private final var _location: Optional<Location>

      private final var location_$k = LarderData._$key((Location).self)

      @exclusivity(unchecked) private final var _note: Optional<String>

      @exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()

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
        if LarderData._$has(mask, 0x1) { binder.bind(_code) }
        if LarderData._$has(mask, 0x2) { binder.bind(_magnitude) }
        if LarderData._$has(mask, 0x8) { binder.bind(_note) }
        if LarderData._$has(mask, 0x4) { binder.encode(_location, location_$k, 2) }
      }

      public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
        if LarderData._$has(mask, 0x1) {
          let value = row.read(2, as: String.self)
          if _$willAssign(_code, value, 0) {
            _code = value
            _$didSet(0)
          }
        }
        if LarderData._$has(mask, 0x2) {
          let value = row.read(3, as: Double.self)
          if _$willAssign(_magnitude, value, 1) {
            _magnitude = value
            _$didSet(1)
          }
        }
        if LarderData._$has(mask, 0x8) {
          let value = row.read(4, as: String?.self)
          if _$willAssign(_note, value, 3) {
            _note = value
            _$didSet(3)
          }
        }
        if LarderData._$has(mask, 0x4) {
          var value = _location, key = location_$k
          row.restore(&value, &key, 2)
          if _$differs(_location, location_$k, value, key, 2) {
            _$willSet(2)
            _location = value
            location_$k = key
            _$didSet(2)
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
          _$access(0)
          return _code
        }
        set {
          guard _$change(_code, newValue, 0) else { return }
          _code = newValue
          _$didSet(0)
        }
        }
        var state {
        @storageRestrictions(initializes: _state)
        init(initialValue) { _state = initialValue }
        get {
          _$access(1)
          return _$get(_state, state_$k, 1)
        }
        set {
          if _$isSame(_state, state_$k, newValue, 1) { return }
          if _$relate(newValue, _state, state_$k, 1) { return }
          _$willChange(1)
          _state = newValue
          _$didSet(1)
        }
        }
        var stops: [Stop] {
        @storageRestrictions(initializes: _stops)
        init(initialValue) { _stops = initialValue }
        get {
          _$access(2)
          return _$get(_stops, stops_$k, 2)
        }
        set {
          if _$isSame(_stops, stops_$k, newValue, 2) { return }
          if _$relate(newValue, _stops, stops_$k, 2) { return }
          _$willChange(2)
          _stops = newValue
          _$didSet(2)
        }
        }

        @exclusivity(unchecked) private final var _code: String

        private final var _state = Optional(State.draft)

        private final var state_$k = LarderData._$key(of: State.draft)

        private final var _stops: Optional<[Stop]>

        private final var stops_$k = LarderData._$key(([Stop]).self)

        @exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()

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
          if LarderData._$has(mask, 0x1) { binder.bind(_code) }
          if LarderData._$has(mask, 0x2) { binder.encode(_state, state_$k, 1) }
          if LarderData._$has(mask, 0x4) { binder.encode(_stops, stops_$k, 2) }
        }

        public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
          if LarderData._$has(mask, 0x1) {
            let value = row.read(2, as: String.self)
            if _$willAssign(_code, value, 0) {
              _code = value
              _$didSet(0)
            }
          }
          if LarderData._$has(mask, 0x2) {
            var value = _state, key = state_$k
            row.restore(&value, &key, 1)
            if _$differs(_state, state_$k, value, key, 1) {
              _$willSet(1)
              _state = value
              state_$k = key
              _$didSet(1)
            }
          }
          if LarderData._$has(mask, 0x4) {
            var value = _stops, key = stops_$k
            row.restore(&value, &key, 2)
            if _$differs(_stops, stops_$k, value, key, 2) {
              _$willSet(2)
              _stops = value
              stops_$k = key
              _$didSet(2)
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

      @exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()

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
        _$access(Self._$base.place(0))
        return _height
      }
      set {
        guard _$change(_height, newValue, Self._$base.place(0)) else { return }
        _height = newValue
        _$didSet(Self._$base.place(0))
      }
      }
      var bark: Bark {
      @storageRestrictions(initializes: _bark)
      init(initialValue) { _bark = initialValue }
      get {
        _$access(Self._$base.place(1))
        return _$get(_bark, bark_$k, Self._$base.place(1))
      }
      set {
        if _$isSame(_bark, bark_$k, newValue, Self._$base.place(1)) { return }
        if _$relate(newValue, _bark, bark_$k, Self._$base.place(1)) { return }
        _$willChange(Self._$base.place(1))
        _bark = newValue
        _$didSet(Self._$base.place(1))
      }
      }
      init(bark: Bark) {
        self.bark = bark
        super.init()
      }

      @exclusivity(unchecked) private final var _height: Double

      private final var _bark: Optional<Bark>

      private final var bark_$k = LarderData._$key((Bark).self)

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
        if LarderData._$has(mask, 0x1) { binder.bind(_height) }
        if LarderData._$has(mask, 0x2) { binder.encode(_bark, bark_$k, Self._$base.place(1)) }
      }

      public override func _$assign(_ row: borrowing LarderData.RowReader, _ mask: UInt64) {
        super._$assign(row, mask)
        let mask = Self._$base.own(mask)
        let first = row.first(Self._$base)
        if LarderData._$has(mask, 0x1) {
          let value = row.read(first, as: Double.self)
          if _$willAssign(_height, value, Self._$base.place(0)) {
            _height = value
            _$didSet(Self._$base.place(0))
          }
        }
        if LarderData._$has(mask, 0x2) {
          var value = _bark, key = bark_$k
          row.restore(&value, &key, Self._$base.place(1))
          if _$differs(_bark, bark_$k, value, key, Self._$base.place(1)) {
            _$willSet(Self._$base.place(1))
            _bark = value
            bark_$k = key
            _$didSet(Self._$base.place(1))
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
