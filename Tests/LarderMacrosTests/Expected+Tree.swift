extension Expected {
  static let tree = #"""
    class Tree: Plant {
      var height {
      @storageRestrictions(initializes: _height)
      init(initialValue) { _height = initialValue }
      get {
        _$access(Self._$offset.index(0))
        return _height
      }
      set {
        guard _$beginChange(_height, newValue, Self._$offset.index(0)) else { return }
        _height = newValue
        _$didSet(Self._$offset.index(0))
      }
      }

      @exclusivity(unchecked) private final var _height: Double
      var bark: Bark {
      @storageRestrictions(initializes: _bark)
      init(initialValue) { _bark = .init(initialValue) }
      get {
        _$access(Self._$offset.index(1))
        return _$get(_bark.stored.value, bark_$key, Self._$offset.index(1))
      }
      set {
        if _$isSame(_bark.stored.value, bark_$key, newValue, Self._$offset.index(1)) { return }
        if _$setRelationship(newValue, _bark.stored.value, bark_$key, Self._$offset.index(1)) { return }
        _$willChange(Self._$offset.index(1))
        LarderData._$exchange(&_bark.stored.value, newValue)
        _$didSet(Self._$offset.index(1))
      }
      }

      @exclusivity(unchecked) private final var _bark: LarderData._ValueStorage<Bark>

      @exclusivity(unchecked) private final var bark_$key = LarderData._$key((Bark).self)
      init(bark: Bark) {
        self.bark = bark
        super.init()
      }

      private static let _$offset = LarderData._SubclassOffset(Plant.self)

      private static let _$ownLayout = LarderData._ModelLayout(
        for: Tree.self, scalars: [0], keyPaths: Plant._$keyPaths(Tree.self))

      public override class var _$layout: LarderData._ModelLayout { _$ownLayout }

      public required init(_$row row: borrowing LarderData._RowReader) {
        _height = LarderData._$zero()
        _bark = .init()
        super.init(_$row: row)
        let first = row.firstColumn(Self._$offset)
        _height = row.read(first)
        row.restore(&_bark.stored.value, &bark_$key, Self._$offset.index(1))
      }

      public override func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
        super._$bind(&binder, mask)
        let mask = Self._$offset.relative(mask)
        if LarderData._$contains(mask, 0x1) { binder.bind(_height) }
        if LarderData._$contains(mask, 0x2) { binder.encode(_bark.stored.value, bark_$key, Self._$offset.index(1)) }
      }

      public override func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask) {
        super._$assign(row, mask)
        let mask = Self._$offset.relative(mask)
        let first = row.firstColumn(Self._$offset)
        if LarderData._$contains(mask, 0x1) {
          let value = row.read(first, as: Double.self)
          if _$beginAssignment(_height, value, Self._$offset.index(0)) {
            _height = value
            _$didSet(Self._$offset.index(0))
          }
        }
        if LarderData._$contains(mask, 0x2) {
          var value = _bark.stored.value, key = bark_$key
          row.restore(&value, &key, Self._$offset.index(1))
          if _$differs(_bark.stored.value, bark_$key, value, key, Self._$offset.index(1)) {
            _$willSet(Self._$offset.index(1))
            bark_$key = key
            LarderData._$exchange(&_bark.stored.value, value)
            _$didSet(Self._$offset.index(1))
          }
        }
      }

      public override class func _$load(
        _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
      ) throws { try LarderData._$load(Tree.self, rows, table, into: models) }

      public override class func _$insertAll(
        _ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter
      ) throws { try LarderData._$insertAll(Tree.self, table, rows) }

      public override class func _$updateAll(
        _ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater
      ) throws { try LarderData._$updateAll(Tree.self, table, rows) }

      public override func _$foreignKey(_ property: Int) -> Int64 {
        switch Self._$offset.relative(property) {
        case 1: LarderData._$readForeignKey(_bark.stored.value, bark_$key)
        default: super._$foreignKey(property)
        }
      }

      public override func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue {
        switch Self._$offset.relative(property) {
        case 1: LarderData._$readRelationship(_bark.stored.value, bark_$key)
        default: super._$relationshipValue(property)
        }
      }

      public override func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {
        switch Self._$offset.relative(property) {
        case 1: LarderData._$apply(change, &_bark.stored.value, &bark_$key)
        default: super._$applyChange(property, change)
        }
      }

      public required init(backingData: any LarderData.BackingData<Plant.Root>) {
        _height = LarderData._$zero()
        _bark = .init()
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
