extension Expected {
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

        @exclusivity(unchecked) private final var _code: String
        var state {
        @storageRestrictions(initializes: _state)
        init(initialValue) { _state = .init(initialValue) }
        get {
          _$access(1)
          return _$get(_state.stored.value, state_$k, 1)
        }
        set {
          if _$isSame(_state.stored.value, state_$k, newValue, 1) { return }
          if _$relate(newValue, _state.stored.value, state_$k, 1) { return }
          _$willChange(1)
          LarderData._$exchange(&_state.stored.value, newValue)
          _$didSet(1)
        }
        }

        @exclusivity(unchecked) private final var _state = LarderData.ValueStorage(State.draft)

        @exclusivity(unchecked) private final var state_$k = LarderData._$key(of: State.draft)
        var stops: [Stop] {
        @storageRestrictions(initializes: _stops)
        init(initialValue) { _stops = .init(initialValue) }
        get {
          _$access(2)
          return _$get(_stops.stored.value, stops_$k, 2)
        }
        set {
          if _$isSame(_stops.stored.value, stops_$k, newValue, 2) { return }
          if _$relate(newValue, _stops.stored.value, stops_$k, 2) { return }
          _$willChange(2)
          LarderData._$exchange(&_stops.stored.value, newValue)
          _$didSet(2)
        }
        }

        @exclusivity(unchecked) private final var _stops: LarderData.ValueStorage<[Stop]>

        @exclusivity(unchecked) private final var stops_$k = LarderData._$key(([Stop]).self)

        @exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()

        public static let _$layout = LarderData.ModelLayout(for: Trip.self, scalars: [0])

        public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
          unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
        }

        public init(_$row row: borrowing LarderData.RowReader) {
          _code = row.read(2)
          _state = .init()
          row.restore(&_state.stored.value, &state_$k, 1)
          _stops = .init()
          row.restore(&_stops.stored.value, &stops_$k, 2)
        }

        public func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask) {
          if LarderData._$has(mask, 0x1) { binder.bind(_code) }
          if LarderData._$has(mask, 0x2) { binder.encode(_state.stored.value, state_$k, 1) }
          if LarderData._$has(mask, 0x4) { binder.encode(_stops.stored.value, stops_$k, 2) }
        }

        public func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask) {
          if LarderData._$has(mask, 0x1) {
            let value = row.read(2, as: String.self)
            if _$willAssign(_code, value, 0) {
              _code = value
              _$didSet(0)
            }
          }
          if LarderData._$has(mask, 0x2) {
            var value = _state.stored.value, key = state_$k
            row.restore(&value, &key, 1)
            if _$differs(_state.stored.value, state_$k, value, key, 1) {
              _$willSet(1)
              state_$k = key
              LarderData._$exchange(&_state.stored.value, value)
              _$didSet(1)
            }
          }
          if LarderData._$has(mask, 0x4) {
            var value = _stops.stored.value, key = stops_$k
            row.restore(&value, &key, 2)
            if _$differs(_stops.stored.value, stops_$k, value, key, 2) {
              _$willSet(2)
              stops_$k = key
              LarderData._$exchange(&_stops.stored.value, value)
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
          case 1: LarderData._$rowKey(_state.stored.value, state_$k)
          case 2: LarderData._$rowKey(_stops.stored.value, stops_$k)
          default: 0
          }
        }

        public func _$relation(_ property: Int) -> LarderData.RelationValue {
          switch property {
          case 1: LarderData._$related(_state.stored.value, state_$k)
          case 2: LarderData._$related(_stops.stored.value, stops_$k)
          default: .none
          }
        }

        public func _$change(_ property: Int, _ change: LarderData.RelationChange) {
          switch property {
          case 1: LarderData._$apply(change, &_state.stored.value, &state_$k)
          case 2: LarderData._$apply(change, &_stops.stored.value, &stops_$k)
          default: break
          }
        }

        public init(backingData: any LarderData.BackingData<Trip>) {
          _code = LarderData._$zero()
          _state = .init()
          _stops = .init()
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

        @_implements(Equatable, ==(_:_:))
        public static func _$equals(_ left: Trip, _ right: Trip) -> Bool {
          LarderData._$equal(left, right, left == right)
        }

        init() {}
      }
    }

    nonisolated extension SchemaV1.Trip: LarderData.PersistentModel {}

    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead")
    extension SchemaV1.Trip: Sendable {}
    """#
}
