import Foundation
import LarderData
import SwiftData
import Synchronization
import Testing

/// Containers of one process that have classes of their own for the same model of the same store.
@Suite struct RivalClassTests {
  private let folder = TestFolder()

  private func contexts() throws -> (ModelContext, ModelContext) {
    let url = folder.url("pens.store")
    let left = try ModelContainer(for: LeftHand.Pen.self, configurations: ModelConfiguration(url: url))
    let right = try ModelContainer(for: RightHand.Pen.self, configurations: ModelConfiguration(url: url))
    return (ModelContext(left), ModelContext(right))
  }

  @Test(.directly("containers share one store there")) func objectsOfTheOtherClassAreBroughtInStep() throws {
    let (left, right) = try contexts()
    let pen = LeftHand.Pen(color: "red")
    left.insert(pen)
    left.insert(LeftHand.Pen(color: "black"))
    try left.save()
    let pens = try right.fetch(FetchDescriptor<RightHand.Pen>(sortBy: [SortDescriptor(\.color)]))
    #expect(pens.map(\.color) == ["black", "red"])
    let isTold = Mutex(false)
    withObservationTracking {
      _ = pens[1].color
    } onChange: {
      isTold.withLock { $0 = true }
    }
    pen.color = "blue"
    try left.save()
    #expect(try right.fetchCount(FetchDescriptor<RightHand.Pen>()) == 2)
    #expect(pens.map(\.color) == ["black", "blue"])
    #expect(isTold.withLock { $0 })
    left.delete(pen)
    try left.save()
    #expect(try right.fetchCount(FetchDescriptor<RightHand.Pen>()) == 1)
    #expect(pens[1].modelContext == nil)
    // And back again.
    let black = try #require(try left.fetch(FetchDescriptor<LeftHand.Pen>()).first)
    pens[0].color = "green"
    try right.save()
    #expect(try left.fetchCount(FetchDescriptor<LeftHand.Pen>()) == 1)
    #expect(black.color == "green" && black.length == 0)
  }
}

private enum LeftHand {
  @Model
  final class Pen {
    var color: String
    var length: Int = 0

    init(color: String) { self.color = color }
  }
}

private enum RightHand {
  @Model
  final class Pen {
    var length: Int = 0
    var color: String

    init(color: String) { self.color = color }
  }
}
