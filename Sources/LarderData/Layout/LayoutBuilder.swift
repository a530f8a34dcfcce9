/// Determines the layout of a model in its table, from the properties that `@Model` lists and their types.
///
/// A model that cannot be stored has a layout, too, with its first problem: models are created and changed before a
/// container could report it.
struct LayoutBuilder {
  /// 2,000: the maximum number of columns in an SQLite table by default.
  static let maximumColumns = 2000

  private(set) var properties: [PropertyLayout] = []
  /// The columns in wire order.
  private(set) var columns: [ColumnLayout] = []
  private(set) var declaredColumns: [ColumnLayout] = []
  /// The groups of unique columns, as indexes of `columns`.
  private(set) var uniqueGroups: [[Int]] = []
  private(set) var indexGroups: [[Int]] = []
  /// The relationships by the indexes of their properties; nil for attributes.
  private(set) var relationships: [RelationshipLayout?] = []
  private(set) var problem: SwiftDataError?

  private let type: any PersistentModel.Type
  /// The prefix of the names of own columns, in a class that shares a table with others.
  private var prefix = ""

  private init(_ type: any PersistentModel.Type) { self.type = type }

  /// Builds the layout of a class.
  ///
  /// `@Model` reads and writes the properties in `scalars` at constant positions, in this order. It does not read and write
  /// those in `beside` by rows. Both count among the class's own properties.
  ///
  /// - Parameters:
  ///   - base: The layout of the superclass, with which this one begins.
  ///   - keyPaths: The key paths of inherited properties, from this class.
  static func build(
    _ type: any PersistentModel.Type, scalars: [Int], _ beside: OutOfRowProperties, base: _ModelLayout?,
    keyPaths: [AnyKeyPath]
  ) -> LayoutBuilder {
    var builder = LayoutBuilder(type)
    builder.inherit(base, keyPaths)
    let metadata = type.schemaMetadata
    let persisted = metadata.filter { !($0.metadata is any ModelConstraint) }
    let ends = persisted.map { InverseResolver.End($0, of: type) }
    let isScalar = Set(scalars)
    let codecs = persisted.indices.map { builder.codec(of: persisted[$0], ends[$0], index: $0, isScalar, beside) }
    let (first, firstColumn) = (builder.properties.count, builder.columns.count)

    // Wire order: scalars first.
    let wireOrder = scalars.filter(persisted.indices.contains) + persisted.indices.filter { !isScalar.contains($0) }
    var places = [Range<Int>](repeating: 0..<0, count: persisted.count)
    for index in wireOrder {
      let start = builder.columns.count
      for column in codecs[index].columns where !beside.contains(index) {
        builder.addColumn(column, of: persisted[index].name, property: first + index)
      }
      places[index] = start..<builder.columns.count
    }
    builder.declaredColumns += places.flatMap { builder.columns[$0] }
    let prefix = builder.prefix
    builder.relationships += ends.enumerated().map { index, end in
      end.map { RelationshipLayout($0, property: first + index, column: places[index].first, prefix: prefix) }
    }
    builder.properties += persisted.indices.map { index in
      let keyPath = persisted[index].keypath
      let valueType = Swift.type(of: keyPath).valueType
      return PropertyLayout(
        index: first + index, name: persisted[index].name, keyPath: keyPath, layoutKeyPath: keyPath,
        valueType: valueType,
        isOptional: ValueTypes.isOptional(valueType), attribute: persisted[index].metadata as? Schema.Attribute,
        defaultValue: persisted[index].defaultValue, isScalar: isScalar.contains(index), columns: places[index],
        codec: codecs[index], relationship: builder.relationships[first + index],
        placement: builder.placement(of: persisted[index], codecs[index], index: index, beside))
    }
    builder.checkNames()
    builder.addGroups(metadata, ownColumns: firstColumn..<builder.columns.count)
    return builder
  }

  /// Adds everything of the superclass first, at the same positions.
  private mutating func inherit(_ base: _ModelLayout?, _ keyPaths: [AnyKeyPath]) {
    guard let base else { return }
    prefix = "\(Schema.name(of: type))_"
    problem = base.problem
    if let superclass = _getSuperclass(type), superclass != base.type {
      reportProblem(
        "\(superclass) inherits from the model \(base.entityName), and is none itself: write @Model before it, too.")
    }
    columns = base.columns
    declaredColumns = base.declaredColumns
    uniqueGroups = base.uniqueGroups
    indexGroups = base.indexGroups
    relationships = base.properties.map(\.relationship)
    properties = base.properties.map { property in
      // With a bounds check: the source may have been written without the macro.
      property.index < keyPaths.count ? property.inherited(keyPath: keyPaths[property.index]) : property
    }
  }

  private mutating func addColumn(_ column: CodecColumn, of name: String, property: Int) {
    columns.append(
      ColumnLayout(
        name: prefix + name + column.suffix, suffix: column.suffix, type: column.type, isOptional: column.isOptional,
        property: property, index: columns.count, order: column.order, form: column.form))
  }

  // MARK: Problems

  /// Records the first problem.
  private mutating func reportProblem(_ sentence: String) {
    if problem == nil { problem = SwiftDataError.loadIssueModelContainer.explained(sentence) }
  }

  private mutating func codec(
    of property: Schema.PropertyMetadata, _ end: InverseResolver.End?, index place: Int, _ scalars: Set<Int>,
    _ beside: OutOfRowProperties
  ) -> _AnyPropertyCodec {
    let valueType = Swift.type(of: property.keypath).valueType
    let name = "\(type).\(property.name)"
    if let end {
      if beside.contains(place) {
        reportProblem(
          "\(name) is a relationship, and \(beside.external.contains(place) ? ".externalStorage" : ".ephemeral") is an "
            + "option of attributes. Remove the option\(beside.external.contains(place) ? "" : ", or mark it @Transient")."
        )
      }
      let key = CodecColumn(suffix: "", type: .integer, isOptional: end.isOptional, form: .foreignKey)
      return .relationship(valueType, columns: RelationshipLayout.hasColumn(end) ? [key] : [])
    }
    if property.metadata is Schema.Relationship {
      Log.warning(
        "\(name) is marked as a relationship, which has no effect: \(ValueTypes.name(of: valueType)) is no model, no "
          + "optional model and no array of models. Mark it as an attribute, or let its type be one of these.")
    }
    let attribute = property.metadata as? Schema.Attribute
    if let attribute { checkOptions(of: attribute, name, place, isScalar: scalars.contains(place), beside) }
    if beside.ephemeral.contains(place) { return .makeUnstoredCodec(for: valueType) }
    if let optional = valueType as? any OptionalCoding.Type, optional.codedType is any OptionalCoding.Type {
      reportProblem(
        "\(name) has the type \(ValueTypes.name(of: valueType)), of whose two ways to be nil the store has one. Make it one "
          + "optional, or mark the property @Transient.")
      return .placeholder(for: valueType)
    }
    // The macro reads and writes a plain scalar as such, whatever the option.
    let isPlain = valueType is any _ColumnValue.Type
    let codec: _AnyPropertyCodec? =
      if let transformer = attribute?.transformerName, !scalars.contains(place) {
        .transformer(transformer, for: valueType)
      } else if attribute?.isCodable == true, !isPlain {
        _AnyPropertyCodec.makeCodableCodec(for: valueType)
      } else if beside.external.contains(place) {
        _AnyPropertyCodec.makeSingleColumnCodec(for: valueType)
      } else {
        _AnyPropertyCodec.makeCodec(for: valueType)
      }
    if let codec { return codec }
    reportProblem(
      "\(name) has the type \(ValueTypes.name(of: valueType)), which cannot be stored. "
        + "Make the type Codable, or mark the property @Transient.")
    return .placeholder(for: valueType)
  }

  /// Checks options that `@Model` reads in the source, where they must be written literally; and combinations that conflict.
  private mutating func checkOptions(
    of attribute: Schema.Attribute, _ name: String, _ place: Int, isScalar: Bool, _ beside: OutOfRowProperties
  ) {
    func unseen(_ option: String) -> String {
      "\(name) has the option \(option), which @Model did not see in the source. Write \(option) itself into the "
        + "@Attribute of the property, not a constant that holds it."
    }
    if attribute.isEphemeral, !beside.ephemeral.contains(place) { reportProblem(unseen(".ephemeral")) }
    if attribute.isExternalStorage, !beside.contains(place) { reportProblem(unseen(".externalStorage")) }
    if attribute.isTransformable, isScalar { reportProblem(unseen(".transformable(by:)")) }
    if attribute.isUnique, beside.contains(place) {
      reportProblem(
        "\(name) is .unique, but its value is not in the row: \(attribute.isEphemeral ? ".ephemeral" : ".externalStorage") "
          + "and .unique exclude each other. Remove one of the two.")
    }
  }

  private func placement(
    of property: Schema.PropertyMetadata, _ codec: _AnyPropertyCodec, index place: Int, _ beside: OutOfRowProperties
  ) -> PropertyPlacement {
    if beside.ephemeral.contains(place) { return .ephemeral }
    guard beside.external.contains(place), let column = codec.columns.first else { return .row }
    let valueType = Swift.type(of: property.keypath).valueType
    return .external(
      ExternalTable(
        name: StoreFormat.externalTable(Schema.name(of: type), property.name),
        entity: RelationshipLayout.tableName(of: type), property: property.name, type: column.type,
        isOptional: column.isOptional, valueType: ValueTypes.name(of: valueType), form: column.form.stored))
  }

  private mutating func checkNames() {
    var taken: [String: ColumnLayout] = [:]
    for column in declaredColumns {
      // SQLite compares names without regard to the case of ASCII letters.
      let folded = column.name.foldingASCIICase
      let name = "\(type).\(properties[column.property].name)"
      if folded.hasPrefix(LayoutBuilder.reservedPrefix) {
        reportProblem(
          "\(name) needs a column named \(column.name), but names that begin with \(LayoutBuilder.reservedPrefix) are the "
            + "store's own. Rename the property.")
      }
      if let other = taken[folded] {
        reportProblem(
          "\(name) and \(type).\(properties[other.property].name) both need a column named \(column.name): columns "
            + "are told apart without regard to case, and a composite's members are columns named after the property "
            + "and the member. Rename one of the two.")
      }
      taken[folded] = column
    }
    let count = columns.count + _ModelLayout.firstPropertyColumn
    if count > LayoutBuilder.maximumColumns {
      reportProblem(
        "\(type) needs \(count) columns, and a table has at most \(LayoutBuilder.maximumColumns). Move some of its "
          + "properties into a model of their own, or into a struct kept whole by @Attribute(.codable).")
    }
  }

  /// The prefix of the store's own tables and columns.
  static let reservedPrefix = "larder_"

  // MARK: Groups

  private mutating func addGroups(_ metadata: [Schema.PropertyMetadata], ownColumns: Range<Int>) {
    for property in properties where property.columns.lowerBound >= ownColumns.lowerBound {
      let isUnique =
        property.attribute?.isUnique ?? (metadata.first { $0.name == property.name }?.metadata?.isUnique ?? false)
      if isUnique { addGroup(Array(property.columns), to: \.uniqueGroups) }
    }
    let places = KeyPathColumns(properties)
    for constraint in metadata.compactMap({ $0.metadata as? any ModelConstraint }) {
      let groups: WritableKeyPath<LayoutBuilder, [[Int]]> =
        constraint.isUnique ? \.uniqueGroups : \.indexGroups
      for keyPaths in constraint.erasedConstraints {
        var group: [Int] = []
        for keyPath in keyPaths {
          if let range = places[keyPath] {
            group += range.filter { !group.contains($0) }
          } else if let property = properties.first(where: { $0.keyPaths.contains(keyPath) }),
            !property.placement.isRow
          {
            reportProblem(
              "\(constraint.isUnique ? "#Unique" : "#Index") of \(type) names \(property.name), whose value is not in "
                + "the row (\(property.placement.isEphemeral ? ".ephemeral" : ".externalStorage")). Leave it out.")
          } else {
            reportProblem(
              "\(constraint.isUnique ? "#Unique" : "#Index") of \(type) names \(ReadableKeyPath.text(keyPath)), which is no persisted "
                + "property of \(type) and no member of a composite. Name stored properties, as \\.name, or members "
                + "of one, as \\.location.name.")
          }
        }
        if constraint.isUnique, !group.isEmpty, !group.contains(where: ownColumns.contains) {
          reportProblem(
            "#Unique of \(type) names inherited properties only. The rows of a hierarchy share one table: write it in "
              + "the class that declares them, or name a property of \(type) too.")
          continue
        }
        addGroup(group, to: groups)
      }
    }
  }

  private mutating func addGroup(_ group: [Int], to groups: WritableKeyPath<LayoutBuilder, [[Int]]>) {
    guard !group.isEmpty, !self[keyPath: groups].contains(group) else { return }
    self[keyPath: groups].append(group)
  }
}

extension String {
  /// The text with A–Z as a–z, the only letters whose case SQLite ignores in names.
  fileprivate var foldingASCIICase: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
