import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// Somebody who knows the store by its history alone knows it whole, whoever changed it.
///
/// Random changes by several contexts, some of them in another process; readers that catch up now and then, by their tokens, in either. What they have is compared
/// with what is stored. `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length.
@Suite struct HistoryReplayTests {
  @Test func historyTellsAllThatChanges() {
    let histories = RandomHistories(of: "historyTellsAllThatChanges")
    var counts = (transactions: 0, expired: 0)
    guard histories.run({ Self.run($0, $1, &counts) }) else { return }
    print("historyTellsAllThatChanges: \(counts.transactions) transactions, \(counts.expired) tokens expired")
    #expect(counts.transactions > histories.count && counts.expired > histories.count / 10)
  }

  private static func run(
    _ seed: UInt64, _ place: StoreLocation, _ counts: inout (transactions: Int, expired: Int)
  ) -> String? {
    do {
      var world = try World(place, seed: seed)
      for _ in 0..<RandomHistories.steps { try world.step() }
      try world.end()
      counts.transactions += world.transactions
      counts.expired += world.expired
      return nil
    } catch {
      return "\(error)"
    }
  }

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  /// What a reader knows of an object: its properties, in words.
  typealias Known = [PersistentIdentifier: [String: String]]

  struct Reader {
    var token: DefaultHistoryToken?
    var known: Known = [:]
  }

  struct World {
    let store: TestStore
    let other: ModelContainer
    let contexts: [ModelContext]
    var readers: [Reader] = [Reader(), Reader(), Reader()]
    var random: SeededGenerator
    var transactions = 0
    var expired = 0
    /// The greatest number that somebody has deleted.
    var deleted: Int64 = 0
    private var number = 0

    init(_ place: StoreLocation, seed: UInt64) throws {
      let store = try TestStore(place, Sensor.self, Family.self, Course.self)
      self.store = store
      let other = try store.asAnotherProcess()
      self.other = other
      contexts = (0..<4).map { number in
        let context = ModelContext(number < 2 ? store.container : other)
        context.author = number == 0 ? nil : "author \(number)"
        context.mergePolicy = .overwrite
        return context
      }
      random = SeededGenerator(seed: seed)
    }

    private func any<Model: PersistentModel>(
      _ type: Model.Type, _ context: ModelContext, _ random: inout SeededGenerator
    ) throws -> Model? {
      try context.fetch(FetchDescriptor<Model>()).filter { !$0.isDeleted }.randomElement(using: &random)
    }

    mutating func step() throws {
      let context = contexts[Int.random(in: 0..<contexts.count, using: &random)]
      // What others have deleted cannot be referred to.
      do { try step(context) } catch is SaveError { context.rollback() }
    }

    private mutating func step(_ context: ModelContext) throws {
      number += 1
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<10: context.insert(Sensor("\(Int.random(in: 0..<6, using: &random))", label: "\(number)"))
      case 10..<20:
        guard let sensor = try any(Sensor.self, context, &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: sensor.level = Double(number)
        case 1: sensor.spot.name = "\(number)"
        case 2: sensor.note = sensor.note == nil ? "\(number)" : nil
        default: sensor.count = number
        }
      case 20..<25: if let sensor = try any(Sensor.self, context, &random) { context.delete(sensor) }
      case 25..<32:
        let family = Family(name: "\(Int.random(in: 0..<4, using: &random))")
        context.insert(family)
      case 32..<45:
        guard let family = try any(Family.self, context, &random) else { return }
        family.members.append(Member(name: "\(number)"))
      case 45..<50:
        guard let member = try any(Member.self, context, &random) else { return }
        member.family = try any(Family.self, context, &random)
      case 50..<53: if let family = try any(Family.self, context, &random) { context.delete(family) }
      case 53..<57:
        let course = Course(title: "\(number)")
        context.insert(course)
        course.students = [Student(name: "\(number)")]
      case 57..<62:
        guard let course = try any(Course.self, context, &random), let student = try any(Student.self, context, &random)
        else { return }
        if course.students.contains(student) {
          course.students.removeAll { $0 == student }
        } else {
          course.students.append(student)
        }
      case 62..<64: if let student = try any(Student.self, context, &random) { context.delete(student) }
      case 64..<66:
        let (number, bound) = (number, Int.random(in: 0..<100, using: &random))
        try context.updateAndSave(Sensor.self, where: #Predicate { $0.count < bound }) { $0.set(\.count, to: number) }
      case 66..<68:
        let bound = Int.random(in: 0..<30, using: &random)
        try context.delete(model: Sensor.self, where: #Predicate { $0.count < bound })
      case 68..<80: try context.save()
      case 80..<83: context.rollback()
      case 83..<86: try forget()
      default: try catchUp(Int.random(in: 0..<readers.count, using: &random))
      }
    }

    private func save(_ context: ModelContext) throws {
      do { try context.save() } catch is SaveError { context.rollback() }
    }

    mutating func end() throws {
      for context in contexts { try save(context) }
      for reader in readers.indices { try catchUp(reader) }
    }

    // MARK: Reading

    private mutating func catchUp(_ place: Int) throws {
      let context = ModelContext(Bool.random(using: &random) ? store.container : other)
      var reader = readers[place]
      let new: [Transaction]
      do {
        if let token = reader.token {
          new = try context.history(#Predicate { $0.token > token })
        } else {
          guard deleted == 0 else {
            // What is left is not all that there was.
            readers[place] = try begin(context)
            return
          }
          new = try context.history()
        }
      } catch SwiftDataError.historyTokenExpired {
        let seen = reader.token?.tokenValue?.values.first ?? 0
        guard seen < deleted else { throw Mistake(description: "\(seen) expired, and \(deleted) were deleted") }
        expired += 1
        readers[place] = try begin(context)
        return
      }
      if let seen = reader.token?.tokenValue?.values.first, seen < deleted {
        throw Mistake(description: "\(seen) should have expired, as \(deleted) were deleted")
      }
      transactions += new.count
      let now = try stored(context)
      for transaction in new { try apply(transaction, to: &reader.known, now) }
      if let last = new.last { reader.token = last.token }
      guard reader.known == now else {
        throw Mistake(description: "by its history the store has \(reader.known), and has \(now)")
      }
      readers[place] = reader
    }

    private func begin(_ context: ModelContext) throws -> Reader {
      let token = try context.currentHistoryToken()
      return Reader(token: token, known: try stored(context))
    }

    /// What was changed is taken from what the object is by now; what was not is as it was known.
    private func apply(_ transaction: Transaction, to known: inout Known, _ now: Known) throws {
      for change in transaction.changes {
        let id = change.changedPersistentIdentifier
        switch change {
        case .insert:
          guard known[id] == nil else { throw Mistake(description: "\(id) is inserted twice") }
          known[id] = now[id] ?? [:]
        case .update:
          guard known[id] != nil else { throw Mistake(description: "\(id) is updated and was not there") }
          for name in change.updatedPropertyNames { known[id]?[name] = now[id]?[name] }
        case .delete:
          guard known.removeValue(forKey: id) != nil else { throw Mistake(description: "\(id) is deleted twice") }
          // That it leaves the lists that it was in follows from it, and is not told of their owners.
          let list = id.entityName == "Student" ? "students" : id.entityName == "Course" ? "courses" : nil
          guard let list else { break }
          for owner in known.keys { known[owner]?[list]?.replace(" \(id.key),", with: "") }
        }
      }
    }

    private func stored(_ context: ModelContext) throws -> Known {
      var known: Known = [:]
      for sensor in try context.all(Sensor.self) {
        known[sensor.persistentModelID] = [
          "code": sensor.code, "label": sensor.label, "level": "\(sensor.level)", "count": "\(sensor.count)",
          "spot": "\(sensor.spot)", "note": "\(sensor.note ?? "-")",
        ]
      }
      for family in try context.all(Family.self) { known[family.persistentModelID] = ["name": family.name] }
      for member in try context.all(Member.self) {
        known[member.persistentModelID] = [
          "name": member.name, "age": "\(member.age)", "family": "\(member.family?.persistentModelID.key ?? 0)",
        ]
      }
      for course in try context.all(Course.self) {
        known[course.persistentModelID] = [
          "title": course.title, "students": list(course.students),
        ]
      }
      for student in try context.all(Student.self) {
        known[student.persistentModelID] = [
          "name": student.name, "courses": list(student.courses.sorted { $0.persistentModelID < $1.persistentModelID }),
        ]
      }
      return known
    }

    private func list(_ models: [any PersistentModel]) -> String {
      models.map { " \($0.persistentModelID.key)," }.joined()
    }

    // MARK: Forgetting

    private mutating func forget() throws {
      let context = ModelContext(Bool.random(using: &random) ? store.container : other)
      let all = try context.history()
      guard let some = all.randomElement(using: &random) else { return }
      let number = some.id
      let author = some.author
      if Bool.random(using: &random) {
        try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.id <= number }))
        deleted = max(deleted, number)
      } else {
        try context.deleteHistory(
          HistoryDescriptor<Transaction>(predicate: #Predicate { $0.author == author && $0.id <= number }))
        deleted = max(deleted, number)
      }
      guard try context.history().allSatisfy({ $0.id > number || $0.author != author }) else {
        throw Mistake(description: "\(number) is not deleted")
      }
    }
  }
}
