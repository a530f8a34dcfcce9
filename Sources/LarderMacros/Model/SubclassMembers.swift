import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a subclass of a model, as text.
///
/// The header, the conformance and the indices of inherited properties belong to the root model. Only the superclass's name is
/// known here, so this class's own indices begin after the superclass's layout, whose length `_$offset` returns at run time.
struct SubclassMembers {
  private let model: ModelClass
  private let name: String
  private let superclass: String
  /// The modifiers of overriding members.
  private let access: String
  private let scalars: [PersistedProperty]
  private let nonscalars: [PersistedProperty]

  init(_ model: ModelClass, superclass: String) {
    self.model = model
    name = model.name
    self.superclass = superclass
    access = model.isOpen ? "open" : "public"
    scalars = model.properties.filter(\.isScalar)
    nonscalars = model.properties.filter { !$0.isScalar }
  }

  var declarations: [DeclSyntax] {
    var texts: [String?] = [
      "private static let _$offset = LarderData._SubclassOffset(\(superclass).self)", layout,
      "\(access) override class var _$layout: LarderData._ModelLayout { _$ownLayout }", rowInitializer, bind, assign,
      load,
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
  private func index(_ property: PersistedProperty) -> String { "Self._$offset.index(\(property.index))" }
  private func column(_ place: Int) -> String { place == 0 ? "first" : "first &+ \(place)" }

  private var layout: String {
    let indices = scalars.map { String($0.index) }.joined(separator: ", ")
    let beside = ModelMembers.outOfRowArguments(of: model)
    return """
      private static let _$ownLayout = LarderData._ModelLayout(
        for: \(name).self, scalars: [\(indices)]\(beside), keyPaths: \(superclass)._$keyPaths(\(name).self))
      """
  }

  /// The initializer from a row. The superclass's columns come first, so they are read first.
  private var rowInitializer: String {
    let zeros = model.properties.map { property in
      property.kind == .ephemeral ? property.ephemeralInitialization : property.emptyInitialization
    }
    let start = scalars.isEmpty ? "" : "  let first = row.firstColumn(Self._$offset)\n"
    let reads = scalars.enumerated().map { place, property in "  \(property.storage) = row.read(\(column(place)))\n" }
    let decodes = nonscalars.filter { $0.kind != .ephemeral }.map {
      "  row.restore(&\($0.storage), &\($0.key), \(index($0)))\n"
    }
    return """
      public required init(_$row row: borrowing LarderData._RowReader) {
      \(zeros.joined())  super.init(_$row: row)
      \(start)\((reads + decodes).joined())}
      """
  }

  private var bind: String? {
    guard !model.properties.isEmpty else { return nil }
    let scalarLines = scalars.map { "  if LarderData._$contains(mask, \($0.mask)) { binder.bind(\($0.storage)) }\n" }
    let otherLines = nonscalars.map {
      "  if LarderData._$contains(mask, \($0.mask)) { binder.encode(\($0.storage), \($0.key), \(index($0))) }\n"
    }
    return """
      \(access) override func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
        super._$bind(&binder, mask)
        let mask = Self._$offset.relative(mask)
      \((scalarLines + otherLines).joined())}
      """
  }

  private var assign: String? {
    guard !model.properties.isEmpty else { return nil }
    let start = scalars.isEmpty ? "" : "  let first = row.firstColumn(Self._$offset)\n"
    let scalarLines = scalars.enumerated().map { place, property in
      """
        if LarderData._$contains(mask, \(property.mask)) {
          let value = row.read(\(column(place)), as: \(property.type.text ?? "").self)
          if _$beginAssignment(\(property.storage), value, \(self.index(property))) {
            \(property.storage) = value
            _$didSet(\(self.index(property)))
          }
        }

      """
    }
    let otherLines = nonscalars.map { property in
      """
        if LarderData._$contains(mask, \(property.mask)) {
          var value = \(property.storage), key = \(property.key)
          row.restore(&value, &key, \(index(property)))
          if _$differs(\(property.storage), \(property.key), value, key, \(index(property))) {
            _$willSet(\(index(property)))
            \(property.key) = key
            LarderData._$exchange(&\(property.storage), value)
            _$didSet(\(index(property)))
          }
        }

      """
    }
    return """
      \(access) override func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask) {
        super._$assign(row, mask)
        let mask = Self._$offset.relative(mask)
      \(start)\((scalarLines + otherLines).joined())}
      """
  }

  private var load: String {
    """
    \(access) override class func _$load(
      _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
    ) throws { try LarderData._$load(\(name).self, rows, table, into: models) }
    """
  }

  private var insertAll: String {
    """
    \(access) override class func _$insertAll(
      _ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter
    ) throws { try LarderData._$insertAll(\(name).self, table, rows) }
    """
  }

  private var updateAll: String {
    """
    \(access) override class func _$updateAll(
      _ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater
    ) throws { try LarderData._$updateAll(\(name).self, table, rows) }
    """
  }

  private var key: String? {
    guard !nonscalars.isEmpty else { return nil }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$readForeignKey(\($0.storage), \($0.key))\n" }
    return """
      \(access) override func _$foreignKey(_ property: Int) -> Int64 {
        switch Self._$offset.relative(property) {
      \(cases.joined())  default: super._$foreignKey(property)
        }
      }
      """
  }

  private var relation: String? {
    guard !nonscalars.isEmpty else { return nil }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$readRelationship(\($0.storage), \($0.key))\n" }
    return """
      \(access) override func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue {
        switch Self._$offset.relative(property) {
      \(cases.joined())  default: super._$relationshipValue(property)
        }
      }
      """
  }

  private var change: String? {
    guard !nonscalars.isEmpty else { return nil }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$apply(change, &\($0.storage), &\($0.key))\n" }
    return """
      \(access) override func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {
        switch Self._$offset.relative(property) {
      \(cases.joined())  default: super._$applyChange(property, change)
        }
      }
      """
  }

  /// An initializer for all classes of the hierarchy, with data for the root model, and one with data for this class.
  private var backingDataInitializers: [String] {
    let root = "any LarderData.BackingData<\(superclass).Root>"
    let zeros = model.properties.map(\.emptyInitialization)
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
