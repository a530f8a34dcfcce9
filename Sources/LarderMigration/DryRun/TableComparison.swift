import LarderData
import LarderSQLite
import LarderSupport

/// Compares a table of the store with its future definition, and lists the changes.
struct TableComparison {
  typealias Change = MigrationForecast.Change

  private let migration: StoreMigration
  private let change: TableChange
  private let connection: Connection
  private let quoted = StoreFormat.quoted

  init(_ migration: StoreMigration, _ change: TableChange, _ connection: Connection) {
    self.migration = migration
    self.change = change
    self.connection = connection
  }

  private var definition: TableDefinition { change.definition }
  private var matches: [EntityMatch] { definition.classNames.compactMap { migration.matches[$0] } }

  func changes() throws -> [Change] {
    if case .created = change.kind {
      let columns = definition.columns.filter { $0.references == nil }.map(\.name).joined(separator: ", ")
      return [
        Change(kind: .tableAdded, name: definition.name, explanation: columns.isEmpty ? "new" : "new, with \(columns)")
      ]
    }
    var changes: [Change] = []
    for match in matches {
      guard let former = match.originalName else {
        changes.append(Change(kind: .classAdded, name: match.name, explanation: "a new class of \(definition.name)"))
        continue
      }
      if former != match.name {
        changes.append(Change(kind: .tableRenamed, name: match.name, explanation: "was \(former)"))
      }
      let own = match.properties.filter { $0.current.declaringClass == match.name }
      for property in own { changes += try self.changes(of: property, in: match) }
    }
    return try changes + removals() + groupChanges()
  }

  // MARK: Properties

  private func changes(of property: EntityMatch.Property, in match: EntityMatch) throws -> [Change] {
    let name = "\(match.name).\(property.current.name)"
    if let relationship = property.current.relationship { return changes(of: relationship, property, name) }
    guard let former = property.original, former.relationship == nil else { return [addition(property.current, name)] }
    var changes: [Change] = []
    if former.name != property.current.name {
      changes.append(Change(kind: .columnRenamed, name: name, explanation: "was \(former.name)"))
    }
    if (former.external == nil) != (property.current.external == nil) {
      let place = property.current.external == nil ? "into the row" : "into a table of its own"
      changes.append(Change(kind: .columnMoved, name: name, explanation: "moves \(place)"))
    }
    changes += typeChanges(former, property.current, name)
    if former.isOptional != property.current.isOptional {
      changes.append(
        property.current.isOptional
          ? Change(kind: .nowOptional, name: name, explanation: "may be nil")
          : Change(kind: .nowRequired, name: name, explanation: "may no longer be nil"))
    }
    return changes
  }

  private func addition(_ property: StoredProperty, _ name: String) -> Change {
    let type = property.external?.valueType ?? property.members.first?.column.valueType ?? "?"
    let value = property.isOptional ? "rows have nil" : "rows need a value from its declaration"
    return Change(kind: .columnAdded, name: name, explanation: "\(type), new; \(value)")
  }

  private typealias Form = ValueConversion.Form

  private func typeChanges(_ former: StoredProperty, _ now: StoredProperty, _ name: String) -> [Change] {
    func whole(_ property: StoredProperty) -> Form? {
      if let external = property.external {
        return Form(type: external.type, valueType: external.valueType, form: external.form)
      }
      return property.columns[""].map { Form(type: $0.type, valueType: $0.valueType, form: $0.form) }
    }
    let isWhole = former.members.count <= 1 && now.members.count <= 1
    if isWhole, let old = whole(former), let new = whole(now) { return typeChange(old, new, name).map { [$0] } ?? [] }
    // All columns of a composite have the name of its type.
    return now.members.compactMap { suffix, column in
      let member = suffix.isEmpty ? name : "\(name).\(suffix.dropFirst())"
      guard let old = former.columns[suffix] else {
        return Change(kind: .columnAdded, name: member, explanation: "\(column.type.rawValue), new")
      }
      if ValueConversion.membersRequireDecoding(old, column), old.type == column.type {
        let both = "\(old.memberType ?? "") becomes \(column.memberType ?? "")"
        return Change(kind: .typeChanged, name: member, explanation: "\(both), of the same values")
      }
      if old.type == column.type {
        let forms = ValueConversion.forms(old, column)
        return old.memberType == nil || forms.old.valueType == old.valueType
          ? nil : typeChange(forms.old, forms.new, member)
      }
      return Change(
        kind: .typeChanged, name: member, explanation: "\(old.type.rawValue) becomes \(column.type.rawValue)")
    }
  }

  private func typeChange(_ old: Form, _ new: Form, _ name: String) -> Change? {
    if old.bareType == new.bareType, old.type == new.type { return nil }
    let both = "\(old.valueType) becomes \(new.valueType)"
    guard let conversion = ValueConversion(from: old, to: new) else {
      return Change(kind: .typeChanged, name: name, explanation: "\(both), which is no conversion of values")
    }
    if conversion.lossCondition != nil {
      return Change(kind: .typeChanged, name: name, explanation: "\(both), as far as that holds the values")
    }
    if ValueConversion.requiresDecoding(from: old, to: new) {
      return Change(kind: .typeChanged, name: name, explanation: "\(both), of the same values")
    }
    return Change(kind: .typeWidened, name: name, explanation: both)
  }

  private func changes(of relationship: StoredRelationship, _ property: EntityMatch.Property, _ name: String)
    -> [Change]
  {
    let kind = "\(relationship.isToMany ? "to-many" : "to-one") of \(relationship.destination)"
    guard let former = property.original?.relationship else {
      let isTaken = migration.mappings(of: relationship).contains { $0.pairs != nil }
      return [
        Change(
          kind: .relationshipAdded, name: name,
          explanation: isTaken ? "\(kind), new; it mirrors what is there" : "\(kind), new")
      ]
    }
    var changes: [Change] = []
    if former.name != relationship.name {
      changes.append(Change(kind: .relationshipRenamed, name: name, explanation: "was \(former.name)"))
    }
    if former.isToMany != relationship.isToMany || former.destination != relationship.destination
      || (former.inverse == nil) != (relationship.inverse == nil)
    {
      let was = "\(former.isToMany ? "to-many" : "to-one") of \(former.destination)"
      func mirror(_ relationship: StoredRelationship) -> String {
        relationship.inverse.map { ", mirrored by \($0)" } ?? ""
      }
      changes.append(
        Change(
          kind: .relationshipChanged, name: name,
          explanation: "was a \(was)\(mirror(former)), is a \(kind)\(mirror(relationship))"))
    }
    return changes
  }

  // MARK: Removals

  private func removals() throws -> [Change] {
    let removed = try migration.removedProperties(of: matches, on: connection).map { ($0, "goes") }
    let replaced = try migration.replacedProperties(of: matches, on: connection).map { property in
      (property, "becomes a \(property.isRelationship ? "value" : "relationship"), and what it was goes")
    }
    return (removed + replaced).map { property, goes in
      if property.isRelationship {
        let words = property.rows.map { "\(goes), with what it relates (\($0))" } ?? "no longer there"
        return Change(kind: .relationshipRemoved, name: property.name, explanation: words, rows: property.rows)
      }
      let rows = property.rows ?? 0
      return Change(
        kind: .columnRemoved, name: property.name, explanation: "\(goes), with its values in \(rows.pluralized("row"))",
        rows: rows)
    }
  }

  // MARK: Groups

  private func groupChanges() -> [Change] {
    guard let former = matches.lazy.compactMap(\.originalName).first, let table = migration.store.table(of: former)
    else {
      return []
    }
    let names = originalColumnNames()
    func compare(
      _ now: [[String]], _ was: [[String]], added: Change.Kind, removed: Change.Kind, _ word: String
    ) -> [Change] {
      let translated = now.map { $0.map { names[$0] ?? $0 } }
      let new = zip(now, translated).filter { !was.contains($1) }.map { group, _ in
        Change(kind: added, name: group.joined(separator: ", "), explanation: "\(word), new")
      }
      let gone = was.filter { !translated.contains($0) }.map { group in
        Change(kind: removed, name: group.joined(separator: ", "), explanation: "no longer \(word)")
      }
      return new + gone
    }
    return compare(definition.unique, table.unique, added: .uniqueAdded, removed: .uniqueRemoved, "unique")
      + compare(definition.indexes, table.indexes, added: .indexAdded, removed: .indexRemoved, "indexed")
  }

  /// Returns the columns' former names.
  private func originalColumnNames() -> [String: String] {
    var names: [String: String] = [:]
    for property in matches.flatMap(\.properties) {
      guard let former = property.original else { continue }
      for (suffix, column) in property.current.members { names[column.name] = former.columns[suffix]?.name }
      if let key = property.current.keyColumn { names[key.name] = former.keyColumn?.name }
      if let order = property.current.relationship?.order { names[order] = former.relationship?.order }
    }
    return names
  }
}
