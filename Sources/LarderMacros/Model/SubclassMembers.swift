import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class that inherits from a model, as text.
///
/// The header, the conformance and the places of inherited properties are the topmost model's. Of those no more is
/// known here than the superclass's name, so this class's own places begin where the superclass's layout ends, which
/// `_$base` knows at run time.
struct SubclassMembers {
  private let model: ModelClass
  private let name: String
  private let superclass: String
  /// What overriding members begin with.
  private let access: String
  private let scalars: [PersistedProperty]
  private let others: [PersistedProperty]

  init(_ model: ModelClass, superclass: String) {
    self.model = model
    name = model.name
    self.superclass = superclass
    access = model.isOpen ? "open" : "public"
    scalars = model.properties.filter(\.isScalar)
    others = model.properties.filter { !$0.isScalar }
  }

  var declarations: [DeclSyntax] {
    var texts: [String?] = [
      "private static let _$base = LarderData.SubclassBase(\(superclass).self)", layout,
      "\(access) override class var _$layout: LarderData.ModelLayout { _$own }", rowInitializer, bind, assign, load,
      insertAll, updateAll, key, relation, change,
    ]
    texts += backingDataInitializers
    texts += [
      SchemaMetadata(model, modifiers: "\(access) override class").text,
      ModelMembers.keyPaths(of: model, access: "public", inherited: "\(superclass)._$keyPaths(model) + "),
      ModelMembers.accessMethod(name), ModelMembers.withMutation(name),
    ]
    return texts.compactMap { $0 }.map { DeclSyntax(verbatim: $0) }
  }
}

extension SubclassMembers {
  private func place(_ property: PersistedProperty) -> String { "Self._$base.place(\(property.index))" }
  private func column(_ place: Int) -> String { place == 0 ? "first" : "first &+ \(place)" }

  private var layout: String {
    let indices = scalars.map { String($0.index) }.joined(separator: ", ")
    let beside = ModelMembers.placesBesideRows(of: model)
    return """
      private static let _$own = LarderData.ModelLayout(
        for: \(name).self, scalars: [\(indices)]\(beside), keyPaths: \(superclass)._$keyPaths(\(name).self))
      """
  }

  /// The superclass's columns come first, so they are read first.
  private var rowInitializer: String {
    let zeros = model.properties.map { property in
      property.kind == .ephemeral ? property.ephemeralStart : property.emptyStart
    }
    let start = scalars.isEmpty ? "" : "  let first = row.first(Self._$base)\n"
    let reads = scalars.enumerated().map { place, property in "  \(property.storage) = row.read(\(column(place)))\n" }
    let decodes = others.filter { $0.kind != .ephemeral }.map {
      "  row.restore(&\($0.storage), &\($0.key), \(place($0)))\n"
    }
    return """
      public required init(_$row row: borrowing LarderData.RowReader) {
      \(zeros.joined())  super.init(_$row: row)
      \(start)\((reads + decodes).joined())}
      """
  }

  private var bind: String? {
    guard !model.properties.isEmpty else { return nil }
    let scalarLines = scalars.map { "  if LarderData._$has(mask, \($0.mask)) { binder.bind(\($0.storage)) }\n" }
    let otherLines = others.map {
      "  if LarderData._$has(mask, \($0.mask)) { binder.encode(\($0.storage), \($0.key), \(place($0))) }\n"
    }
    return """
      \(access) override func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask) {
        super._$bind(&binder, mask)
        let mask = Self._$base.own(mask)
      \((scalarLines + otherLines).joined())}
      """
  }

  private var assign: String? {
    guard !model.properties.isEmpty else { return nil }
    let start = scalars.isEmpty ? "" : "  let first = row.first(Self._$base)\n"
    let scalarLines = scalars.enumerated().map { place, property in
      """
        if LarderData._$has(mask, \(property.mask)) {
          let value = row.read(\(column(place)), as: \(property.type.text ?? "").self)
          if _$willAssign(\(property.storage), value, \(self.place(property))) {
            \(property.storage) = value
            _$didSet(\(self.place(property)))
          }
        }

      """
    }
    let otherLines = others.map { property in
      """
        if LarderData._$has(mask, \(property.mask)) {
          var value = \(property.storage), key = \(property.key)
          row.restore(&value, &key, \(place(property)))
          if _$differs(\(property.storage), \(property.key), value, key, \(place(property))) {
            _$willSet(\(place(property)))
            \(property.key) = key
            LarderData._$exchange(&\(property.storage), value)
            _$didSet(\(place(property)))
          }
        }

      """
    }
    return """
      \(access) override func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask) {
        super._$assign(row, mask)
        let mask = Self._$base.own(mask)
      \(start)\((scalarLines + otherLines).joined())}
      """
  }

  private var load: String {
    """
    \(access) override class func _$load(
      _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
    ) throws { try LarderData._$load(\(name).self, rows, state, into: models) }
    """
  }

  private var insertAll: String {
    """
    \(access) override class func _$insertAll(
      _ state: LarderData.EntityState, _ rows: LarderData.InsertingRows
    ) throws { try LarderData._$insertAll(\(name).self, state, rows) }
    """
  }

  private var updateAll: String {
    """
    \(access) override class func _$updateAll(
      _ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows
    ) throws { try LarderData._$updateAll(\(name).self, state, rows) }
    """
  }

  private var key: String? {
    guard !others.isEmpty else { return nil }
    let cases = others.map { "  case \($0.index): LarderData._$rowKey(\($0.storage), \($0.key))\n" }
    return """
      \(access) override func _$key(_ property: Int) -> Int64 {
        switch Self._$base.own(property) {
      \(cases.joined())  default: super._$key(property)
        }
      }
      """
  }

  private var relation: String? {
    guard !others.isEmpty else { return nil }
    let cases = others.map { "  case \($0.index): LarderData._$related(\($0.storage), \($0.key))\n" }
    return """
      \(access) override func _$relation(_ property: Int) -> LarderData.RelationValue {
        switch Self._$base.own(property) {
      \(cases.joined())  default: super._$relation(property)
        }
      }
      """
  }

  private var change: String? {
    guard !others.isEmpty else { return nil }
    let cases = others.map { "  case \($0.index): LarderData._$apply(change, &\($0.storage), &\($0.key))\n" }
    return """
      \(access) override func _$change(_ property: Int, _ change: LarderData.RelationChange) {
        switch Self._$base.own(property) {
      \(cases.joined())  default: super._$change(property, change)
        }
      }
      """
  }

  /// The one that all classes of the hierarchy have, with data for the topmost model, and one with data for this class.
  private var backingDataInitializers: [String] {
    let root = "any LarderData.BackingData<\(superclass).Root>"
    let zeros = model.properties.map(\.emptyStart)
    if model.declaresBackingDataInitializer { return [] }
    return [
      """
      public required init(backingData: \(root)) {
      \(zeros.joined())  super.init(backingData: backingData)
      }
      """,
      """
      public convenience init(backingData: any LarderData.BackingData<\(name)>) {
        self.init(backingData: backingData._superClassBackingData(of: \(name).self) as \(root))
      }
      """,
    ]
  }
}
