import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class, as text. Everything in them is there because the runtime calls it for
/// each object or each row; what can be shared lies in LarderData.
struct ModelMembers {
  private let model: ModelClass
  private let name: String
  private let required: String
  private let typeLevel: String
  /// What members begin with that a subclass overrides: `open` where another module may have one.
  private let access: String
  private let properties: [PersistedProperty]
  /// The order of columns and bindings: the scalars, whose places are known here, then the others.
  private let scalars: [PersistedProperty]
  private let others: [PersistedProperty]

  /// Columns before the first scalar: the row's identifier and version.
  private static let ownColumns = 2

  init(_ model: ModelClass) {
    self.model = model
    name = model.name
    required = model.isFinal ? "" : "required "
    typeLevel = model.isFinal ? "static" : "class"
    access = model.isOpen ? "open" : "public"
    properties = model.properties
    scalars = properties.filter(\.isScalar)
    others = properties.filter { !$0.isScalar }
  }

  var declarations: [DeclSyntax] {
    var texts: [String?] = [Self.header, rootBase]
    texts += layout
    texts += [
      headerPointer, rowInitializer, bind, assign, load, insertAll, updateAll, key, relation, change,
      backingDataInitializer, backingData, SchemaMetadata(model, modifiers: "\(access) \(typeLevel)").text, keyPaths,
      Self.accessMethod(name), Self.withMutation(name), equality,
    ]
    if model.wantsEmptyInitializer { texts.append("init() {}") }
    return texts.compactMap { $0 }.map { DeclSyntax(verbatim: $0) }
  }
}

extension ModelMembers {
  private static let header = "@exclusivity(unchecked) private final var _$h = LarderData.ModelHeader()"

  /// What a model that inherits from what is none gets beside its diagnostic: as much as keeps the compiler from adding
  /// errors about generated code to it.
  static func forbearance(_ node: ClassDeclSyntax) -> [DeclSyntax] {
    let name = node.name.text
    let level = node.modifier(.final) == nil ? "class" : "static"
    let required = node.modifier(.final) == nil ? "required " : ""
    let state = "_ state: LarderData.EntityState"
    let declarations = [
      "final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields>",
      "\(level) var _$layout: LarderData.ModelLayout",
      "\(level) var schemaMetadata: [LarderData.Schema.PropertyMetadata]",
      "\(required)init(_$row row: borrowing LarderData.RowReader)",
      "\(required)init(backingData: any LarderData.BackingData<\(name)>)",
      "func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask)",
      "func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask)",
      "\(level) func _$load(_ rows: LarderData.StoredRows, \(state), into models: LarderData.ModelArray) throws",
      "\(level) func _$insertAll(\(state), _ rows: LarderData.InsertingRows) throws",
      "\(level) func _$updateAll(\(state), _ rows: LarderData.UpdatingRows) throws",
    ]
    let data = "any LarderData.BackingData<\(name)>"
    let backingData = "public var persistentBackingData: \(data) { get { fatalError() } set { fatalError() } }"
    var texts = [header] + declarations.map { "public \($0) { fatalError() }" } + [backingData]
    if node.mayInherit { texts.append(rootBase) }
    return texts.map { DeclSyntax(verbatim: $0) }
  }

  private var layout: [String] {
    let indices = scalars.map { String($0.index) }.joined(separator: ", ")
    let layout =
      "LarderData.ModelLayout(for: \(name).self, scalars: [\(indices)]\(Self.placesBesideRows(of: model)))"
    if model.isFinal { return ["public static let _$layout = \(layout)"] }
    return [
      "private static let _$own = \(layout)",
      "\(access) class var _$layout: LarderData.ModelLayout { _$own }",
    ]
  }

  /// Arguments with the places of the properties that are not in the row; nothing where there are none.
  static func placesBesideRows(of model: ModelClass) -> String {
    func places(_ label: String, _ kind: PropertyKind) -> String {
      let indices = model.properties.filter { $0.kind == kind }.map { String($0.index) }
      return indices.isEmpty ? "" : ", \(label): [\(indices.joined(separator: ", "))]"
    }
    return places("external", .external) + places("ephemeral", .ephemeral)
  }

  /// What accessors ask where they cannot tell a protocol from a superclass: for a first model, constants.
  private var rootBase: String? {
    model.node.mayInherit ? Self.rootBase : nil
  }
  private static let rootBase = "private static var _$base: LarderData.RootBase { LarderData.RootBase() }"

  private var keyPaths: String? { model.isFinal ? nil : Self.keyPaths(of: model, access: "public", inherited: "") }

  /// The key paths of all properties, from a subclass: `\Tree.name` is another one than `\Plant.name`, and only the
  /// compiler can make it.
  static func keyPaths(of model: ModelClass, access: String, inherited: String) -> String {
    let paths = model.properties.map { "\\_M.\($0.written)" }.joined(separator: ", ")
    return """
      \(access) static func _$keyPaths<_M: \(model.name)>(_ model: _M.Type) -> [AnyKeyPath] { \(inherited)[\(paths)] }
      """
  }

  private var headerPointer: String {
    """
    public final var _$header: UnsafeMutablePointer<LarderData.ModelHeader.Fields> {
      unsafe withUnsafeMutablePointer(to: &_$h.fields) { unsafe $0 }
    }
    """
  }

  private var rowInitializer: String {
    let reads = scalars.enumerated().map { place, property in
      "  \(property.storage) = row.read(\(place + Self.ownColumns))\n"
    }
    let decodes = others.map { property in
      if property.kind == .ephemeral { return property.ephemeralStart }
      return "\(property.emptyStart)  row.restore(&\(property.storage), &\(property.key), \(property.index))\n"
    }
    return "public \(required)init(_$row row: borrowing LarderData.RowReader) {\n\((reads + decodes).joined())}"
  }

  private var bind: String {
    let scalarLines = scalars.map { "  if LarderData._$has(mask, \($0.mask)) { binder.bind(\($0.storage)) }\n" }
    let otherLines = others.map {
      "  if LarderData._$has(mask, \($0.mask)) { binder.encode(\($0.storage), \($0.key), \($0.index)) }\n"
    }
    return """
      \(access) func _$bind(_ binder: inout LarderData.RowBinder, _ mask: LarderData.PropertyMask) {
      \((scalarLines + otherLines).joined())}
      """
  }

  private var assign: String {
    let scalarLines = scalars.enumerated().map { place, property in
      """
        if LarderData._$has(mask, \(property.mask)) {
          let value = row.read(\(place + Self.ownColumns), as: \(property.type.text ?? "").self)
          if _$willAssign(\(property.storage), value, \(property.index)) {
            \(property.storage) = value
            _$didSet(\(property.index))
          }
        }

      """
    }
    let otherLines = others.map { property in
      """
        if LarderData._$has(mask, \(property.mask)) {
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
      \(access) func _$assign(_ row: borrowing LarderData.RowReader, _ mask: LarderData.PropertyMask) {
      \((scalarLines + otherLines).joined())}
      """
  }

  /// The loops over rows, called with the class itself: a default in the protocol would serve subclasses, too, and
  /// could not be compiled for this class alone.
  private var load: String {
    """
    \(access) \(typeLevel) func _$load(
      _ rows: LarderData.StoredRows, _ state: LarderData.EntityState, into models: LarderData.ModelArray
    ) throws { try LarderData._$load(\(name).self, rows, state, into: models) }
    """
  }

  private var insertAll: String {
    """
    \(access) \(typeLevel) func _$insertAll(_ state: LarderData.EntityState, _ rows: LarderData.InsertingRows) throws {
      try LarderData._$insertAll(\(name).self, state, rows)
    }
    """
  }

  private var updateAll: String {
    """
    \(access) \(typeLevel) func _$updateAll(_ state: LarderData.EntityState, _ rows: LarderData.UpdatingRows) throws {
      try LarderData._$updateAll(\(name).self, state, rows)
    }
    """
  }

  /// Relationships without their types. Which of the properties are some, overloads decide.
  private var key: String? {
    guard !others.isEmpty else { return model.isFinal ? nil : "\(access) func _$key(_ property: Int) -> Int64 { 0 }" }
    let cases = others.map { "  case \($0.index): LarderData._$rowKey(\($0.storage), \($0.key))\n" }
    return """
      \(access) func _$key(_ property: Int) -> Int64 {
        switch property {
      \(cases.joined())  default: 0
        }
      }
      """
  }

  private var relation: String? {
    guard !others.isEmpty else {
      return model.isFinal
        ? nil : "\(access) func _$relation(_ property: Int) -> LarderData.RelationValue { .none }"
    }
    let cases = others.map { "  case \($0.index): LarderData._$related(\($0.storage), \($0.key))\n" }
    return """
      \(access) func _$relation(_ property: Int) -> LarderData.RelationValue {
        switch property {
      \(cases.joined())  default: .none
        }
      }
      """
  }

  private var change: String? {
    guard !others.isEmpty else {
      return model.isFinal
        ? nil : "\(access) func _$change(_ property: Int, _ change: LarderData.RelationChange) {}"
    }
    let cases = others.map { "  case \($0.index): LarderData._$apply(change, &\($0.storage), &\($0.key))\n" }
    return """
      \(access) func _$change(_ property: Int, _ change: LarderData.RelationChange) {
        switch property {
      \(cases.joined())  default: break
        }
      }
      """
  }

  private var backingDataInitializer: String? {
    guard !model.declaresBackingDataInitializer else { return nil }
    let zeros = properties.map(\.emptyStart)
    return """
      public \(required)init(backingData: any LarderData.BackingData<\(name)>) {
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

  /// The conformance to Equatable comes with an extension that a macro writes. From there the compiler finds an operator
  /// of the class's own twice, and takes neither; so it is given one by another name.
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
