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

      @exclusivity(unchecked) private final var _height: Double
      var bark: Bark {
      @storageRestrictions(initializes: _bark)
      init(initialValue) { _bark = .init(initialValue) }
      get {
        _$access(Self._$base.place(1))
        return _$get(_bark.stored.value, bark_$k, Self._$base.place(1))
      }
      set {
        if _$isSame(_bark.stored.value, bark_$k, newValue, Self._$base.place(1)) { return }
        if _$relate(newValue, _bark.stored.value, bark_$k, Self._$base.place(1)) { return }
        _$willChange(Self._$base.place(1))
        LarderData._$exchange(&_bark.stored.value, newValue)
        _$didSet(Self._$base.place(1))
      }
      }

      @exclusivity(unchecked) private final var _bark: LarderData.ValueStorage<Bark>

      @exclusivity(unchecked) private final var bark_$k = LarderData._$key((Bark).self)
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
        _bark = .init()
        super.init(_$row: row)
        let first = row.first(Self._$base)
        _height = row.read(first)
        row.restore(&_bark.stored.value, &bark_$k, Self._$base.place(1))
      }

      public override func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask) {
        super._$bind(&binder, mask)
        let mask = Self._$base.own(mask)
        if LarderData._$has(mask, 0x1) { binder.bind(_height) }
        if LarderData._$has(mask, 0x2) { binder.encode(_bark.stored.value, bark_$k, Self._$base.place(1)) }
      }

      public override func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask) {
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
          var value = _bark.stored.value, key = bark_$k
          row.restore(&value, &key, Self._$base.place(1))
          if _$differs(_bark.stored.value, bark_$k, value, key, Self._$base.place(1)) {
            _$willSet(Self._$base.place(1))
            bark_$k = key
            LarderData._$exchange(&_bark.stored.value, value)
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
        case 1: LarderData._$rowKey(_bark.stored.value, bark_$k)
        default: super._$key(property)
        }
      }

      public override func _$relation(_ property: Int) -> LarderData.RelationValue {
        switch Self._$base.own(property) {
        case 1: LarderData._$related(_bark.stored.value, bark_$k)
        default: super._$relation(property)
        }
      }

      public override func _$change(_ property: Int, _ change: LarderData.RelationChange) {
        switch Self._$base.own(property) {
        case 1: LarderData._$apply(change, &_bark.stored.value, &bark_$k)
        default: super._$change(property, change)
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
