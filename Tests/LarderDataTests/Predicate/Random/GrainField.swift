import Foundation
import SwiftData
import TestSeeds

@testable import LarderData

/// Objects of all models in a store of their own, in a context in which more and more is pending.
final class GrainField {
  let container: ModelContainer
  let context: ModelContext
  private(set) var grains: [Grain] = []
  private(set) var sacks: [Sack] = []
  private(set) var labels: [Ticket] = []
  private var serial = 0
  private var values: HostileValues

  init(seed: UInt64, isPlain: Bool) throws {
    values = HostileValues(random: SeededGenerator(seed: seed), isPlain: isPlain)
    let schema = Schema([Grain.self, Sack.self, Ticket.self])
    container = try ModelContainer(
      for: schema, configurations: [ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)])
    context = ModelContext(container)
    for _ in 0..<5 { insertSack() }
    for _ in 0..<8 { insertLabel() }
    for _ in 0..<24 { insertGrain() }
    for _ in 0..<60 { relate() }
    try context.save()
  }

  var identifiers: [PersistentIdentifier] {
    grains.map(\.persistentModelID) + sacks.map(\.persistentModelID) + labels.map(\.persistentModelID)
  }

  /// All objects that are there, pending ones among them.
  func objects<Root: Kernel>(_ root: Root.Type) -> [Root] {
    // Which list it is cannot be asked of the lists: an empty one is of every class.
    if let grains = grains as? [Root], Root.self == Grain.self { return grains }
    if let sacks = sacks as? [Root], Root.self == Sack.self { return sacks }
    return labels as? [Root] ?? []
  }

  /// The same context, objects and all, read anew from the store.
  func reread() throws -> (context: ModelContext, grains: [Grain], sacks: [Sack], labels: [Ticket]) {
    let context = ModelContext(container)
    return (
      context, try context.fetch(FetchDescriptor()), try context.fetch(FetchDescriptor()),
      try context.fetch(FetchDescriptor())
    )
  }

  // MARK: - Changes

  /// Makes changes that are not saved.
  func disturb(_ count: Int) { for _ in 0..<count { disturb() } }

  func save() throws { try context.save() }

  private func disturb() {
    switch values.pick(Array(0..<20)) {
    case 0, 1: insertGrain()
    case 2: if sacks.count < 8 { insertSack() }
    case 3: if labels.count < 12 { insertLabel() }
    case 4: deleteGrain()
    case 5: if values.random.chance(40) { deleteSack() }
    case 6: if values.random.chance(60) { deleteLabel() }
    case 7, 8, 9: change(grains)
    case 10: change(sacks)
    case 11: change(labels)
    default: relate()
    }
  }

  private func change<Model: Kernel>(_ models: [Model]) {
    guard !models.isEmpty else { return }
    values.pick(models).change(values.pick(Array(0..<Model.attributes)), &values)
  }

  private func number() -> Int {
    serial += 1
    return serial
  }

  private func insertSack() {
    let sack = Sack(number(), &values)
    context.insert(sack)
    sacks.append(sack)
  }

  private func insertLabel() {
    let label = Ticket(number(), &values)
    context.insert(label)
    labels.append(label)
  }

  private func insertGrain() {
    guard grains.count < 40 else { return }
    let grain = Grain(number(), home: values.pick(sacks), &values)
    // Its home puts it into the context; the insert says so.
    context.insert(grain)
    grains.append(grain)
  }

  private func deleteGrain() {
    guard grains.count > 10 else { return }
    let grain = values.pick(grains)
    context.delete(grain)
    grains.removeAll { $0 === grain }
  }

  private func deleteSack() {
    guard sacks.count > 3 else { return }
    let sack = values.pick(sacks)
    grains.removeAll { $0.home === sack }
    context.delete(sack)
    sacks.removeAll { $0 === sack }
  }

  private func deleteLabel() {
    guard labels.count > 3 else { return }
    let label = values.pick(labels)
    context.delete(label)
    labels.removeAll { $0 === label }
  }

  private func some<Model: Kernel>(_ models: [Model]) -> [Model] {
    let count = min(values.pick([0, 1, 2, 3, 5]), models.count)
    return Array(models.shuffled(using: &values.random).prefix(count))
  }

  private func relate() {
    guard !grains.isEmpty else { return }
    let (grain, sack, label) = (values.pick(grains), values.pick(sacks), values.pick(labels))
    let isNil = values.random.chance(25)
    switch values.pick(Array(0..<16)) {
    case 0, 1: grain.sack = isNil ? nil : sack
    case 2: grain.home = sack
    case 3: grain.parent = isNil ? nil : values.pick(grains)
    // Nil only in what is stored, where it empties the list; to a predicate a list that was never set is empty, too.
    case 4: grain.children = isNil ? (grain.persistentModelID.storeIdentifier == nil ? [] : nil) : some(grains)
    case 5: grain.labels = some(labels)
    case 6: grain.lead = isNil ? nil : label
    case 7: sack.grains = some(grains)
    case 8: if !sack.grains.contains(grain) { sack.grains.append(grain) }
    case 9: sack.cover = isNil ? nil : label
    case 10: sack.stock = some(labels)
    case 11: label.grains = some(grains)
    case 12: label.leader = isNil ? nil : grain
    case 13: grain.next = isNil ? nil : values.pick(grains)
    case 14: grain.previous = isNil ? nil : values.pick(grains)
    default: label.alike = some(labels)
    }
  }
}
