import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class, as text. Generated members are limited to code that the runtime calls for each object
/// or each row; shared code is in LarderData.
struct ModelMembers {
  private let model: ModelClass
  private let name: String
  private let requiredModifier: String
  private let staticKeyword: String
  /// The access level of members that a subclass overrides: `open` if another module may contain a subclass.
  private let access: String
  private let properties: [PersistedProperty]
  /// The order of columns and bindings: the scalars, whose indices are constants, then the others.
  private let scalars: [PersistedProperty]
  private let nonscalars: [PersistedProperty]

  /// The columns before the first scalar: the row ID and the version.
  private static let systemColumnCount = 2

  init(_ model: ModelClass) {
    self.model = model
    name = model.name
    requiredModifier = model.isFinal ? "" : "required "
    staticKeyword = model.isFinal ? "static" : "class"
    access = model.isOpen ? "open" : "public"
    properties = model.properties
    scalars = properties.filter(\.isScalar)
    nonscalars = properties.filter { !$0.isScalar }
  }

  var declarations: [DeclSyntax] {
    var texts: [String?] = [Self.header, rootOffset]
    texts += layout
    texts += [
      headerPointer, rowInitializer, bind, assign, load, insertAll, updateAll, key, relation, change,
      backingDataInitializer, backingData, SchemaMetadata(model, modifiers: "\(access) \(staticKeyword)").text,
      keyPaths,
      Self.accessMethod(name), Self.withMutation(name), equality,
    ]
    if model.needsEmptyInitializer { texts.append("init() {}") }
    return texts.compactMap { $0 }.map { DeclSyntax(verbatim: $0) }
  }
}

extension ModelMembers {
  private static let header = "@exclusivity(unchecked) private final var _$headerStorage = LarderData._ModelHeader()"

  /// Returns the members for a model whose superclass is no model, in addition to its diagnostic: as many as the compiler needs in
  /// order to report no further errors about generated code.
  static func placeholderMembers(_ node: ClassDeclSyntax) -> [DeclSyntax] {
    let name = node.name.text
    let level = node.modifier(.final) == nil ? "class" : "static"
    let required = node.modifier(.final) == nil ? "required " : ""
    let table = "_ table: LarderData._InstanceTable"
    let declarations = [
      "final var _$header: UnsafeMutablePointer<LarderData._ModelHeader.Fields>",
      "\(level) var _$layout: LarderData._ModelLayout",
      "\(level) var schemaMetadata: [LarderData.Schema.PropertyMetadata]",
      "\(required)init(_$row row: borrowing LarderData._RowReader)",
      "\(required)init(backingData: any LarderData.BackingData<\(name)>)",
      "func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask)",
      "func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask)",
      "\(level) func _$load(_ rows: LarderData._RowCursor, \(table), into models: LarderData._ModelArrayPointer) throws",
      "\(level) func _$insertAll(\(table), _ rows: LarderData._RowInserter) throws",
      "\(level) func _$updateAll(\(table), _ rows: LarderData._RowUpdater) throws",
    ]
    let data = "any LarderData.BackingData<\(name)>"
    let backingData = "public var persistentBackingData: \(data) { get { fatalError() } set { fatalError() } }"
    var texts = [header] + declarations.map { "public \($0) { fatalError() }" } + [backingData]
    if node.mayInherit { texts.append(rootOffset) }
    return texts.map { DeclSyntax(verbatim: $0) }
  }

  private var layout: [String] {
    let indices = scalars.map { String($0.index) }.joined(separator: ", ")
    let layout =
      "LarderData._ModelLayout(for: \(name).self, scalars: [\(indices)]\(Self.outOfRowArguments(of: model)))"
    if model.isFinal { return ["public static let _$layout = \(layout)"] }
    return [
      "private static let _$ownLayout = \(layout)",
      "\(access) class var _$layout: LarderData._ModelLayout { _$ownLayout }",
    ]
  }

  /// Returns arguments with the indices of the properties outside of the row; empty if there are none.
  static func outOfRowArguments(of model: ModelClass) -> String {
    func places(_ label: String, _ kind: PropertyKind) -> String {
      let indices = model.properties.filter { $0.kind == kind }.map { String($0.index) }
      return indices.isEmpty ? "" : ", \(label): [\(indices.joined(separator: ", "))]"
    }
    return places("external", .externalStorage) + places("ephemeral", .ephemeral)
  }

  /// The member that accessors query where the source does not distinguish a protocol from a superclass: constants for a root
  /// model.
  private var rootOffset: String? {
    model.node.mayInherit ? Self.rootOffset : nil
  }
  private static let rootOffset = "private static var _$offset: LarderData._RootOffset { LarderData._RootOffset() }"

  private var keyPaths: String? { model.isFinal ? nil : Self.keyPaths(of: model, access: "public", inherited: "") }

  /// Returns the key paths of all properties, for a given subclass: `\Tree.name` differs from `\Plant.name`, and only the compiler
  /// can
  /// create it.
  static func keyPaths(of model: ModelClass, access: String, inherited: String) -> String {
    let paths = model.properties.map { "\\_M.\($0.spelling)" }.joined(separator: ", ")
    return """
      \(access) static func _$keyPaths<_M: \(model.name)>(_ model: _M.Type) -> [AnyKeyPath] { \(inherited)[\(paths)] }
      """
  }

  private var headerPointer: String {
    """
    public final var _$header: UnsafeMutablePointer<LarderData._ModelHeader.Fields> {
      unsafe withUnsafeMutablePointer(to: &_$headerStorage.fields) { unsafe $0 }
    }
    """
  }

  private var rowInitializer: String {
    let reads = scalars.enumerated().map { place, property in
      "  \(property.storage) = row.read(\(place + Self.systemColumnCount))\n"
    }
    let decodes = nonscalars.map { property in
      if property.kind == .ephemeral { return property.ephemeralInitialization }
      return "\(property.emptyInitialization)  row.restore(&\(property.storage), &\(property.key), \(property.index))\n"
    }
    return
      "public \(requiredModifier)init(_$row row: borrowing LarderData._RowReader) {\n\((reads + decodes).joined())}"
  }

  private var bind: String {
    let scalarLines = scalars.map { "  if LarderData._$contains(mask, \($0.mask)) { binder.bind(\($0.storage)) }\n" }
    let otherLines = nonscalars.map {
      "  if LarderData._$contains(mask, \($0.mask)) { binder.encode(\($0.storage), \($0.key), \($0.index)) }\n"
    }
    return """
      \(access) func _$bind(_ binder: inout LarderData._RowBinder, _ mask: LarderData._PropertyMask) {
      \((scalarLines + otherLines).joined())}
      """
  }

  private var assign: String {
    let scalarLines = scalars.enumerated().map { place, property in
      """
        if LarderData._$contains(mask, \(property.mask)) {
          let value = row.read(\(place + Self.systemColumnCount), as: \(property.type.text ?? "").self)
          if _$beginAssignment(\(property.storage), value, \(property.index)) {
            \(property.storage) = value
            _$didSet(\(property.index))
          }
        }

      """
    }
    let otherLines = nonscalars.map { property in
      """
        if LarderData._$contains(mask, \(property.mask)) {
          var value = \(property.storage), key = \(property.key)
          row.restore(&value, &key, \(property.index))
          if _$differs(\(property.storage), \(property.key), value, key, \(property.index)) {
            _$willSet(\(property.index))
            \(property.key) = key
            LarderData._$exchange(&\(property.storage), value)
            _$didSet(\(property.index))
          }
        }

      """
    }
    return """
      \(access) func _$assign(_ row: borrowing LarderData._RowReader, _ mask: LarderData._PropertyMask) {
      \((scalarLines + otherLines).joined())}
      """
  }

  /// The loops over rows, called on the class itself: a default implementation in the protocol would also serve subclasses, and
  /// could
  /// not be specialized for this class.
  private var load: String {
    """
    \(access) \(staticKeyword) func _$load(
      _ rows: LarderData._RowCursor, _ table: LarderData._InstanceTable, into models: LarderData._ModelArrayPointer
    ) throws { try LarderData._$load(\(name).self, rows, table, into: models) }
    """
  }

  private var insertAll: String {
    """
    \(access) \(staticKeyword) func _$insertAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowInserter) throws {
      try LarderData._$insertAll(\(name).self, table, rows)
    }
    """
  }

  private var updateAll: String {
    """
    \(access) \(staticKeyword) func _$updateAll(_ table: LarderData._InstanceTable, _ rows: LarderData._RowUpdater) throws {
      try LarderData._$updateAll(\(name).self, table, rows)
    }
    """
  }

  /// The code for foreign keys, without the relationships' types. Overloads determine which properties are relationships.
  private var key: String? {
    guard !nonscalars.isEmpty else {
      return model.isFinal ? nil : "\(access) func _$foreignKey(_ property: Int) -> Int64 { 0 }"
    }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$readForeignKey(\($0.storage), \($0.key))\n" }
    return """
      \(access) func _$foreignKey(_ property: Int) -> Int64 {
        switch property {
      \(cases.joined())  default: 0
        }
      }
      """
  }

  private var relation: String? {
    guard !nonscalars.isEmpty else {
      return model.isFinal
        ? nil : "\(access) func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue { .none }"
    }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$readRelationship(\($0.storage), \($0.key))\n" }
    return """
      \(access) func _$relationshipValue(_ property: Int) -> LarderData._RelationshipValue {
        switch property {
      \(cases.joined())  default: .none
        }
      }
      """
  }

  private var change: String? {
    guard !nonscalars.isEmpty else {
      return model.isFinal
        ? nil : "\(access) func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {}"
    }
    let cases = nonscalars.map { "  case \($0.index): LarderData._$apply(change, &\($0.storage), &\($0.key))\n" }
    return """
      \(access) func _$applyChange(_ property: Int, _ change: LarderData._RelationshipChange) {
        switch property {
      \(cases.joined())  default: break
        }
      }
      """
  }

  private var backingDataInitializer: String? {
    guard !model.declaresBackingDataInitializer else { return nil }
    let zeros = properties.map(\.emptyInitialization)
    return """
      public \(requiredModifier)init(backingData: any LarderData.BackingData<\(name)>) {
      \(zeros.joined())  _$adopt(backingData)
      }
      """
  }

  private var backingData: String {
    """
    public var persistentBackingData: any LarderData.BackingData<\(name)> {
      get { _$backingData() }
      set { _$adopt(newValue) }
    }
    """
  }

  /// The `==` for the conformance to Equatable, which comes from a macro-generated extension. In that extension the compiler finds
  /// an
  /// operator of the class twice, and uses neither; so the witness has another name.
  private var equality: String {
    """
    @_implements(Equatable, ==(_:_:))
    public static func _$equals(_ left: \(name), _ right: \(name)) -> Bool {
      LarderData._$equal(left, right, left == right)
    }
    """
  }

  static func accessMethod(_ name: String) -> String {
    "internal nonisolated func access<_M>(keyPath: KeyPath<\(name), _M>) { _$access(keyPath) }"
  }

  static func withMutation(_ name: String) -> String {
    """
    internal nonisolated func withMutation<_M, _MR>(
      keyPath: KeyPath<\(name), _M>, _ mutation: () throws -> _MR
    ) rethrows -> _MR { try _$withMutation(keyPath, mutation) }
    """
  }
}
