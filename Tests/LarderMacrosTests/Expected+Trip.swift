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
          guard _$beginChange(_code, newValue, 0) else { return }
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
          return _$get(_state.stored.value, state_$key, 1)
        }
        set {
          if _$isSame(_state.stored.value, state_$key, newValue, 1) { return }
          if _$setRelationship(newValue, _state.stored.value, state_$key, 1) { return }
          _$willChange(1)
          LarderData._$exchange(&_state.stored.value, newValue)
          _$didSet(1)
        }
        }

        @exclusivity(unchecked) private final var _state = LarderData._ValueStorage(State.draft)

        @exclusivity(unchecked) private final var state_$key = LarderData._$key(of: State.draft)
        var stops: [Stop] {
        @storageRestrictions(initializes: _stops)
        init(initialValue) { _stops = .init(initialValue) }
        get {
          _$access(2)
          return _$get(_stops.stored.value, stops_$key, 2)
        }
        set {
          if _$isSame(_stops.stored.value, stops_$key, newValue, 2) { return }
          if _$setRelationship(newValue, _stops.stored.value, stops_$key, 2) { return }
          _$willChange(2)
          LarderData._$exchange(&_stops.stored.value, newValue)
          _$didSet(2)
        }
        }

        @exclusivity(unchecked) private final var _stops: LarderData._ValueStorage<[Stop]>

        @exclusivity(unchecked) private final var stops_$key = LarderData._$key(([Stop]).self)

        @exclusivity(unchecked) private final var _$headerStorage = LarderData._ModelHeader()

        public static let _$layout = LarderData._ModelLayout(for: Trip.self, scalars: [0])

        public final var _$header: UnsafeMutablePointer<LarderData._ModelHeader.Fields> {
          unsafe withUnsafeMutablePointer(to: &_$headerStorage.fields) { unsafe $0 }
        }

        public init(_$row row: borrowing LarderData._RowReader) {
          _code = row.read(2)
          _state = .init()
          row.restore(&_state.stored.value, &state_$key, 1)
          _stops = .init()
          row.restore(&_stops.stored.value, &stops_$key, 2)
        }

        public func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
          if LarderData._$contains(mask, 0x1) { binder.bind(_code) }
          if LarderData._$contains(mask, 0x2) { binder.encode(_state.stored.value, state_$key, 1) }
          if LarderData._$contains(mask, 0x4) { binder.encode(_stops.stored.value, stops_$key, 2) }
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
            var value = _state.stored.value, key = state_$key
            row.restore(&value, &key, 1)
            if _$differs(_state.stored.value, state_$key, value, key, 1) {
              _$willSet(1)
              state_$key = key
              LarderData._$exchange(&_state.stored.value, value)
              _$didSet(1)
            }
          }
          if LarderData._$contains(mask, 0x4) {
            var value = _stops.stored.value, key = stops_$key
            row.restore(&value, &key, 2)
            if _$differs(_stops.stored.value, stops_$key, value, key, 2) {
              _$willSet(2)
              stops_$key = key
              LarderData._$exchange(&_stops.stored.value, value)
              _$didSet(2)
            }
          }
        }

        public static func _$load(
          _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
        ) throws { try LarderData._$load(Trip.self, rows, table, into: models) }

        public static func _$insertAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter) throws {
          try LarderData._$insertAll(Trip.self, table, rows)
        }

        public static func _$updateAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater) throws {
          try LarderData._$updateAll(Trip.self, table, rows)
        }

        public func _$foreignKey(_ property: Int) -> Int64 {
          switch property {
          case 1: LarderData._$readForeignKey(_state.stored.value, state_$key)
          case 2: LarderData._$readForeignKey(_stops.stored.value, stops_$key)
          default: 0
          }
        }

        public func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue {
          switch property {
          case 1: LarderData._$readRelationship(_state.stored.value, state_$key)
          case 2: LarderData._$readRelationship(_stops.stored.value, stops_$key)
          default: .none
          }
        }

        public func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {
          switch property {
          case 1: LarderData._$apply(change, &_state.stored.value, &state_$key)
          case 2: LarderData._$apply(change, &_stops.stored.value, &stops_$key)
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
