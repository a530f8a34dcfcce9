import LarderData
import SwiftData
import Testing

/// Models that are given to a context which is not theirs: nothing is done, and the next save says so.
@Suite struct OtherContextTests {
  private func refusal(_ context: ModelContext, _ word: String) -> Bool {
    do {
      try context.save()
      return false
    } catch let error as SwiftDataError {
      return error == .modelValidationFailure && error.explanation?.contains(word) == true
    } catch {
      return false
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func modelOfAnotherContextIsNotDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (own, other) = (store.context(), store.context())
    let crate = Crate(number: 1)
    own.insert(crate)
    try own.save()
    other.insert(Crate(number: 2))
    other.delete(crate)
    #expect(
      refusal(other, "Crate \(crate.persistentModelID.key) was not deleted, because it belongs to another context"))
    // Nothing was written, and all is pending.
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
    #expect(other.insertedModelsArray.count == 1 && !crate.isDeleted)
    other.pendingError = nil
    other.delete(try other.existingModel(for: crate.persistentModelID, as: Crate.self))
    try other.save()
    #expect(try store.context().fetch(FetchDescriptor<Crate>()).map(\.number) == [2])
  }

  @Test func modelOfAnotherContainerIsNotDeleted() throws {
    let (store, elsewhere) = (try TestStore(.memory, Crate.self), try TestStore(.memory, Crate.self))
    let (context, other) = (store.context(), elsewhere.context())
    let crate = Crate(number: 1)
    context.insert(crate)
    // Saved or not.
    other.delete(crate)
    #expect(refusal(other, "belongs to another context"))
    try context.save()
    other.rollback()
    other.delete(crate)
    #expect(refusal(other, "belongs to another context"))
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
  }

  /// An insert that met a row: another object stands for that.
  @Test func displacedModelIsNotDeleted() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let context = store.context()
    let jug = Jug(1)
    context.insert(jug)
    try context.save()
    let displaced = Jug(1)
    context.insert(displaced)
    try context.save()
    #expect(displaced.modelContext == nil)
    context.delete(displaced)
    #expect(refusal(context, "another object stands for its row"))
    #expect(try store.context().fetchCount(FetchDescriptor<Jug>()) == 1)
  }

  /// There is nothing to delete.
  @Test func modelsOfNoContextStayAsTheyAre() throws {
    let store = try TestStore(.memory, Crate.self)
    let context = store.context()
    context.delete(Crate(number: 1))
    let crate = Crate(number: 2)
    context.insert(crate)
    try context.save()
    context.delete(crate)
    try context.save()
    context.delete(crate)
    let dropped = Crate(number: 3)
    context.insert(dropped)
    context.delete(dropped)
    context.delete(dropped)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 0)
  }
}
