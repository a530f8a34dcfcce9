import Foundation
import LarderData
import SwiftData

struct CoupleFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

final class CoupleRun {
  private let setting: CoupleSetting
  private let store: TestStore
  private let contexts: [ModelContext]
  private var held: [[any Coupled]]

  init(_ setting: CoupleSetting) throws {
    self.setting = setting
    store = try TestStore(setting.place, setting.couple.models)
    contexts = (0..<setting.contexts).map { [store] _ in store.context() }
    for context in contexts { context.mergePolicy = setting.policy }
    held = contexts.map { _ in [] }
  }

  private func all(_ end: Int, _ context: ModelContext) throws -> [any Coupled] {
    func fetched<Model: Coupled>(_ type: Model.Type) throws -> [any Coupled] {
      try context.fetch(FetchDescriptor<Model>())
    }
    let first: any Coupled.Type = setting.couple.classes(end)[0]
    return try fetched(first)
  }

  private func find(_ name: CoupleName, _ context: Int) throws -> (any Coupled)? {
    let found = try all(name.end, contexts[context]).last { $0.name == name.text }
    if let found { held[context].append(found) }
    return found
  }

  private func insert(_ name: CoupleName, _ context: Int) -> any Coupled {
    let new = setting.couple.make(name)
    contexts[context].insert(new)
    held[context].append(new)
    return new
  }

  func carryOut(_ step: CoupleStep) throws {
    switch step {
    case .insert(let context, let name): _ = insert(name, context)
    case .insertBoth(let context, let one, let other):
      let new = insert(one, context)
      new.partner = insert(other, context)
    case .insertWith(let context, let name, let partner):
      let partner = try find(partner, context)
      let new = insert(name, context)
      new.partner = partner
    case .relate(let context, let name, let partner):
      let partner = try partner.flatMap { try find($0, context) }
      if let one = try find(name, context) { one.partner = partner }
    case .read(let context, let name): _ = try find(name, context)?.partner?.name
    case .delete(let context, let name): if let one = try find(name, context) { contexts[context].delete(one) }
    case .letGo(let context): held[context].removeAll()
    case .save(let context): try save(context)
    case .rollback(let context): contexts[context].rollback()
    }
  }

  private func save(_ place: Int) throws {
    let context = contexts[place]
    let wanted = contexts.count == 1 ? wanted(context) : [:]
    do {
      try context.save()
    } catch let error as SaveError where setting.contexts > 1 && error.code != .uniquenessConflict {
      // What others have changed meanwhile may be in the way.
      return context.rollback()
    }
    let truth = try partners(store.context(), "the store")
    for (name, partner) in wanted where truth[name] != partner {
      throw CoupleFailure("\(name) was inserted with \(partner), and has \(truth[name].flatMap(\.self) ?? "none")")
    }
    let problems = try store.container.integrityCheck()
    if !problems.isEmpty { throw CoupleFailure("\(problems)") }
    for (place, context) in contexts.enumerated() where !context.hasChanges {
      let seen = try partners(context, "context \(place)")
      if seen != truth { throw CoupleFailure("context \(place) has \(seen), and the store \(truth)") }
      for one in held[place] where one.modelContext != nil { try check(one, "an object in hand of context \(place)") }
    }
  }

  /// Who is to have which partner: those of the last inserts of a name, where nothing else lays claim to one of the two.
  private func wanted(_ context: ModelContext) -> [String: String] {
    let inserted = context.insertedModelsArray.compactMap { $0 as? any Coupled }
    let claims = (inserted + context.changedModelsArray.compactMap { $0 as? any Coupled }).map {
      ($0.name, $0.partner?.name)
    }
    var wanted: [String: String] = [:]
    for one in inserted {
      guard let partner = one.partner?.name, partner != one.name else { continue }
      let isAlone = claims.allSatisfy { name, other in
        let pair = [name, other].compactMap(\.self)
        return !pair.contains(one.name) && !pair.contains(partner) || Set(pair) == [one.name, partner]
      }
      if isAlone { wanted[one.name] = partner }
    }
    return wanted
  }

  /// What a context says of all, once it is seen that both ends agree.
  private func partners(_ context: ModelContext, _ what: String) throws -> [String: String?] {
    var partners: [String: String?] = [:]
    for end in 0...(setting.couple == .mirrored ? 0 : 1) {
      for one in try all(end, context) {
        try check(one, what)
        if partners.updateValue(one.partner?.name, forKey: one.name) != nil {
          throw CoupleFailure("\(what) has \(one.name) twice")
        }
      }
    }
    return partners
  }

  private func check(_ one: any Coupled, _ what: String) throws {
    guard let partner = one.partner else { return }
    guard let back = partner.partner else {
      throw CoupleFailure("\(what): \(one.name) has \(partner.name), which has none")
    }
    guard back === one else {
      throw CoupleFailure(
        "\(what): \(one.name) has \(partner.name), which has \(back.name)\(back.name == one.name ? ", another object" : "")"
      )
    }
  }
}
