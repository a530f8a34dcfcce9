import Foundation
import LarderData
import LarderSupport

extension StoreError {
  static func duplicates(
    _ url: URL, _ table: TableDefinition, _ group: [String], _ count: Int64, _ examples: [String]
  ) -> StoreError {
    let names = group.joined(separator: ", ")
    let values = examples.map { "\"\($0)\"" }.joined(separator: ", ")
    return StoreError(
      .duplicateValues, url,
      "\(storeDescription(url)) has rows of \(table.name) that agree in \(names), which is to be unique: "
        + "\(valueCountDescription(count)) more than once, such as \(values). Make them differ in a custom stage of a migration "
        + "plan, or say in MigrationOptions which row stays. The file is as it was.")
  }

  /// Returns the number of values, as the beginning of a sentence.
  package static func valueCountDescription(_ count: Int64) -> String {
    "\(count.pluralized("value")) \(count == 1 ? "is" : "are") there"
  }

  /// - Parameters:
  ///   - tables: The tables of the store.
  ///   - definitions: The tables of this program's models.
  static func newerSchema(
    _ url: URL, _ stored: Schema.Version, _ newest: Schema.Version, _ tables: [TableDefinition],
    _ definitions: [TableDefinition]
  ) -> StoreError {
    let differing = differingModels(tables, definitions)
    let others = differing.isEmpty ? "" : " and differ in \(list(differing, separator: ", "))"
    return StoreError(
      .newerSchema, url,
      "\(storeDescription(url)) has models of version \(stored), and this program's are of version \(newest)\(others). Update the "
        + "program; or, where its models are the newer ones, say so: Schema(models, version:). The file is as it was.")
  }

  /// Returns the models that are only on one side, or whose tables differ.
  private static func differingModels(_ tables: [TableDefinition], _ definitions: [TableDefinition]) -> [String] {
    let changed = definitions.filter { definition in
      guard let table = tables.first(where: { $0.name == definition.name }) else { return true }
      return !table.differences(from: definition).isEmpty
    }
    let names = Set(definitions.map(\.name))
    return (changed.map(\.name) + tables.map(\.name).filter { !names.contains($0) }).inOrder()
  }

  static func unknownSchema(_ url: URL, _ nearest: Schema.Version?, _ differences: [String]) -> StoreError {
    let nearest = nearest.map { " Version \($0) comes nearest: \(list(differences))." } ?? ""
    return StoreError(
      .unknownSchema, url,
      "\(storeDescription(url)) has models of a version that is none of the migration plan's.\(nearest) Add that version to the "
        + "plan, as its models were then. The file is as it was.")
  }

  /// Returns the error for rows that become duplicates after a merge, because of an index that the user created.
  static func duplicatesAfterMerging(_ url: URL, _ other: String, _ table: String, _ reason: String) -> StoreError {
    StoreError(
      .duplicateValues, url,
      "\(storeDescription(url)) has rows of \(other) that would agree once rows of \(table) are united (\(reason)). Make them differ in "
        + "a custom stage of a migration plan, or drop the index. The file is as it was.")
  }

  /// Returns the error for models that have a version number of their own.
  static func laterVersion(_ url: URL, _ stored: Schema.Version, _ own: Schema.Version) -> StoreError {
    StoreError(
      .newerSchema, url,
      "\(storeDescription(url)) has models of version \(stored), and this program's are of version \(own). Update the program; or, "
        + "where its models are the newer ones, give them a later versionIdentifier, and where they are others, a file of their own. "
        + "The file is as it was.")
  }

  static func incompletePlan(_ url: URL, _ reason: String, _ advice: String) -> StoreError {
    StoreError(
      .incompletePlan, url,
      "\(storeDescription(url)) can't be brought to the container's models by the migration plan: \(reason). \(advice). The file is "
        + "as it was.")
  }

  static func planForOtherModels(_ url: URL, _ newest: Schema.Version, _ differences: [String]) -> StoreError {
    incompletePlan(
      url,
      "its version \(newest) is not that of the container's models (\(list(differences)))",
      "Let that version list the models that the container is made for, or give the container the schema of another version of "
        + "the plan")
  }

  static func danglingForeignKeys(_ url: URL, _ tables: [String]) -> StoreError {
    StoreError(
      .schemaMismatch, url,
      "\(storeDescription(url)) would have rows of \(list(tables, separator: ", ")) that refer to rows which are not there. Let the stages of the plan delete or relate them. The file is as it was."
    )
  }

  static func valueLoss(_ url: URL, _ lost: [RemovedProperty]) -> StoreError {
    StoreError(
      .valueLoss, url,
      "\(storeDescription(url)) has values that these models have no place for: \(list(lost)). If a property was renamed, say so by "
        + "@Attribute(originalName:). If the store is of a newer program, use that one. If the values are to go, say so by a "
        + "migration plan, or by ModelContainer(for:configurations:migration: MigrationOptions(removedValues: .discard)). The file is as it "
        + "was."
    )
  }

  static func list(_ lost: [RemovedProperty]) -> String {
    list(lost.map { "\($0.name) (\(($0.rows ?? 0).pluralized("row")))" }, separator: ", ")
  }
}
