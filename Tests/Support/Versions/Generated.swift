// Made by Scripts/generate-versions. Change that.
import Foundation
package import SwiftData

/// The versions among which walks go, in no order.
package let walkVersions: [any WalkVersion.Type] = [
  Walk01.self, Walk02.self, Walk03.self, Walk04.self, Walk05.self, Walk06.self, Walk07.self, Walk08.self, Walk09.self,
  Walk10.self, Walk11.self, Walk12.self, Walk13.self, Walk14.self, Walk15.self, Walk16.self, Walk17.self, Walk18.self,
  Walk19.self, Walk20.self, Walk21.self, Walk22.self, Walk23.self, Walk24.self,
]

package enum Walk01: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .optionalDouble, b: .string, c: .optionalTwo, d: .external, r: .single, isUnique: false)

  @Model package final class Item {
    #Index<Item>([\.b])
    var number: Int
    @Attribute(originalName: "a") var alpha: Double?
    var b: String
    var c: Point2?
    @Attribute(.externalStorage) var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      b = ""
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.box) var item: Item?

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = value }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.alpha.map { $0 }
      state.b = item.b
      state.c = item.c.map { Point3(x: $0.x, y: $0.y, z: nil) }
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk02: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .int, b: .none, c: .defaultTwo, d: .inline, r: .none, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "alpha") var a: Int
    var c: Point2 = Point2(x: 7, y: 8)
    var d: Data?

    init(number: Int) {
      self.number = number
      a = 0
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = Int(value) }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.a)
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = []
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk03: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .defaultInt, b: .defaultString, c: .two, d: .none, r: .mirrored, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "a") var alpha: Int = 7
    var b: String = "on"
    var c: Point2
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      c = Point2(x: 0, y: 0)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = Int(value) }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.alpha)
      state.b = item.b
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk04: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .none, b: .state, c: .defaultTwo, d: .inline, r: .none, isUnique: true)

  @Model package final class Item {
    #Index<Item>([\.b])
    @Attribute(.unique) var number: Int
    var b: SwitchState
    var c: Point2 = Point2(x: 7, y: 8)
    var d: Data?

    init(number: Int) {
      self.number = number
      b = .on
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = SwitchState(rawValue: value) ?? .on }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b.rawValue
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = []
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk05: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .none, b: .string, c: .optionalTwo, d: .external, r: .mirrored, isUnique: true)

  @Model package final class Item {
    #Index<Item>([\.b])
    @Attribute(.unique) var number: Int
    var b: String
    var c: Point2?
    @Attribute(.externalStorage) var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      b = ""
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b
      state.c = item.c.map { Point3(x: $0.x, y: $0.y, z: nil) }
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk06: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .none, b: .optionalString, c: .optionalThree, d: .none, r: .oneWay, isUnique: false)

  @Model package final class Item {
    #Index<Item>([\.b])
    var number: Int
    var b: String?
    var c: Point3?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = value }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b.map { $0 }
      state.c = item.c.map { $0 }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk07: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .double, b: .optionalString, c: .optionalTwo, d: .none, r: .single, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "alpha") var a: Double
    var b: String?
    var c: Point2?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      a = 0
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.box) var item: Item?

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = value }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.a
      state.b = item.b.map { $0 }
      state.c = item.c.map { Point3(x: $0.x, y: $0.y, z: nil) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk08: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .int, b: .optionalString, c: .three, d: .inline, r: .oneWay, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "alpha") var a: Int
    var b: String?
    var c: Point3
    var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      a = 0
      c = Point3(x: 0, y: 0, z: nil)
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = Int(value) }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.a)
      state.b = item.b.map { $0 }
      state.c = item.c
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk09: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .optionalDouble, b: .string, c: .three, d: .inline, r: .mirrored, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "a") var alpha: Double?
    var b: String
    var c: Point3
    var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      b = ""
      c = Point3(x: 0, y: 0, z: nil)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = value }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.alpha.map { $0 }
      state.b = item.b
      state.c = item.c
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk10: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .int, b: .defaultString, c: .two, d: .none, r: .none, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "a") var alpha: Int
    var b: String = "on"
    var c: Point2

    init(number: Int) {
      self.number = number
      alpha = 0
      c = Point2(x: 0, y: 0)
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = Int(value) }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.alpha)
      state.b = item.b
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      return state
    }
    let pairs: [Pair] = []
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk11: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .optionalDouble, b: .optionalString, c: .optionalThree, d: .external, r: .listed, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "alpha") var a: Double?
    var b: String?
    var c: Point3?
    @Attribute(.externalStorage) var d: Data?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item") var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = value }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      box.items.append(item)
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.a.map { $0 }
      state.b = item.b.map { $0 }
      state.c = item.c.map { $0 }
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = boxes.flatMap { box in box.items.map { Pair(box: box.number, item: $0.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk12: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .none, b: .string, c: .none, d: .inline, r: .shared, isUnique: true)

  @Model package final class Item {
    #Index<Item>([\.b])
    @Attribute(.unique) var number: Int
    var b: String
    var d: Data?
    @Relationship(originalName: "box") var boxes: [Box] = []

    init(number: Int) {
      self.number = number
      b = ""
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.boxes) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      box.items.append(item)
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = boxes.flatMap { box in box.items.map { Pair(box: box.number, item: $0.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk13: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .none, b: .optionalString, c: .optionalTwo, d: .external, r: .none, isUnique: false)

  @Model package final class Item {
    var number: Int
    var b: String?
    var c: Point2?
    @Attribute(.externalStorage) var d: Data?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b.map { $0 }
      state.c = item.c.map { Point3(x: $0.x, y: $0.y, z: nil) }
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = []
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk14: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .decimal, b: .none, c: .two, d: .none, r: .shared, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "a") var alpha: Decimal
    var c: Point2
    @Relationship(originalName: "box") var boxes: [Box] = []

    init(number: Int) {
      self.number = number
      alpha = 0
      c = Point2(x: 0, y: 0)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.boxes) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = Decimal(Int(value)) }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      box.items.append(item)
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = NSDecimalNumber(decimal: item.alpha).doubleValue
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      return state
    }
    let pairs: [Pair] = boxes.flatMap { box in box.items.map { Pair(box: box.number, item: $0.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk15: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .optionalDouble, b: .state, c: .two, d: .inline, r: .oneWay, isUnique: true)

  @Model package final class Item {
    #Index<Item>([\.b])
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "a") var alpha: Double?
    var b: SwitchState
    var c: Point2
    var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      b = .on
      c = Point2(x: 0, y: 0)
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = value }
      if let value = state.b { item.b = SwitchState(rawValue: value) ?? .on }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.alpha.map { $0 }
      state.b = item.b.rawValue
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk16: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .int, b: .string, c: .two, d: .none, r: .mirrored, isUnique: true)

  @Model package final class Item {
    #Index<Item>([\.b])
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "a") var alpha: Int
    var b: String
    var c: Point2
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      alpha = 0
      b = ""
      c = Point2(x: 0, y: 0)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = Int(value) }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.alpha)
      state.b = item.b
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk17: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .none, b: .defaultString, c: .defaultTwo, d: .none, r: .oneWay, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    var b: String = "on"
    var c: Point2 = Point2(x: 7, y: 8)
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b
      state.c = Point3(x: item.c.x, y: item.c.y, z: nil)
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk18: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .decimal, b: .none, c: .optionalTwo, d: .none, r: .mirrored, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "alpha") var a: Decimal
    var c: Point2?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      a = 0
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = Decimal(Int(value)) }
      if let value = state.c { item.c = Point2(x: value.x, y: value.y) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = NSDecimalNumber(decimal: item.a).doubleValue
      state.c = item.c.map { Point3(x: $0.x, y: $0.y, z: nil) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk19: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(
    a: .none, b: .optionalString, c: .none, d: .inline, r: .mirrored, isUnique: false)

  @Model package final class Item {
    #Index<Item>([\.b])
    var number: Int
    var b: String?
    var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.b { item.b = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.b = item.b.map { $0 }
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk20: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .defaultInt, b: .none, c: .none, d: .external, r: .listed, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "alpha") var a: Int = 7
    @Attribute(.externalStorage) var d: Data?

    init(number: Int) {
      self.number = number

    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item") var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = Int(value) }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      box.items.append(item)
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = Double(item.a)
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = boxes.flatMap { box in box.items.map { Pair(box: box.number, item: $0.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk21: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .double, b: .none, c: .three, d: .external, r: .mirrored, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "a") var alpha: Double
    var c: Point3
    @Attribute(.externalStorage) var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      alpha = 0
      c = Point3(x: 0, y: 0, z: nil)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.alpha
      state.c = item.c
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk22: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .decimal, b: .none, c: .none, d: .none, r: .oneWay, isUnique: false)

  @Model package final class Item {
    var number: Int
    @Attribute(originalName: "alpha") var a: Decimal
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      a = 0
    }
  }

  @Model package final class Box {
    var number: Int

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = Decimal(Int(value)) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = NSDecimalNumber(decimal: item.a).doubleValue
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk23: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .double, b: .none, c: .three, d: .inline, r: .mirrored, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "a") var alpha: Double
    var c: Point3
    var d: Data?
    @Relationship(originalName: "boxes") var box: Box?

    init(number: Int) {
      self.number = number
      alpha = 0
      c = Point3(x: 0, y: 0, z: nil)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.box) var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.alpha = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      item.box = box
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.alpha
      state.c = item.c
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = items.compactMap { item in item.box.map { Pair(box: $0.number, item: item.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}

package enum Walk24: WalkVersion {
  package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  package static var models: [any PersistentModel.Type] { [Item.self, Box.self] }
  package static let shape = WalkShape(a: .double, b: .defaultString, c: .three, d: .inline, r: .listed, isUnique: true)

  @Model package final class Item {
    @Attribute(.unique) var number: Int
    @Attribute(originalName: "alpha") var a: Double
    var b: String = "on"
    var c: Point3
    var d: Data?

    init(number: Int) {
      self.number = number
      a = 0
      c = Point3(x: 0, y: 0, z: nil)
    }
  }

  @Model package final class Box {
    var number: Int
    @Relationship(originalName: "item") var items: [Item] = []

    init(number: Int) { self.number = number }
  }

  package static func insert(_ states: [ItemState], boxes newBoxes: [Int], _ pairs: [Pair], into context: ModelContext)
    throws
  {
    for number in newBoxes { context.insert(Box(number: number)) }
    for state in states {
      let item = Item(number: state.number)
      context.insert(item)
      if let value = state.a { item.a = value }
      if let value = state.b { item.b = value }
      if let value = state.c { item.c = value }
      if let value = state.d { item.d = Data(value) }
    }
    let items = Dictionary(try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }) { one, _ in one }
    let boxes = Dictionary(try context.fetch(FetchDescriptor<Box>()).map { ($0.number, $0) }) { one, _ in one }
    for pair in pairs {
      guard let item = items[pair.item], let box = boxes[pair.box] else { continue }
      box.items.append(item)
    }
    _ = (items, boxes)
  }

  package static func read(_ context: ModelContext) throws -> WalkState {
    let items = try context.fetch(FetchDescriptor<Item>())
    let boxes = try context.fetch(FetchDescriptor<Box>())
    let states = items.map { item in
      var state = ItemState(number: item.number)
      state.a = item.a
      state.b = item.b
      state.c = item.c
      state.d = item.d.map { [UInt8]($0) }
      return state
    }
    let pairs: [Pair] = boxes.flatMap { box in box.items.map { Pair(box: box.number, item: $0.number) } }
    return WalkState(states, boxes.map(\.number), pairs)
  }
}
