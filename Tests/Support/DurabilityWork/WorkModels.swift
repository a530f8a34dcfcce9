public import SwiftData

/// A row of which one can tell by itself which save wrote it, and whether it is whole.
@Model
public final class Entry {
  // More indexes than anybody needs: most of the time of a save is then spent between BEGIN and COMMIT.
  #Index<Entry>([\.writer, \.slot], [\.checksum], [\.text], [\.save, \.checksum])

  @Attribute(.unique) public var key: String
  public var writer: Int
  public var slot: Int
  public var save: Int
  public var text: String
  public var checksum: Int

  public init(_ content: Content) {
    key = content.key
    writer = content.writer
    slot = content.slot
    save = content.save
    text = content.text
    checksum = content.checksum
  }

  /// Sets what a save writes.
  package func update(_ content: Content) {
    save = content.save
    text = content.text
    checksum = content.checksum
  }

  /// What the row says.
  package var content: Content {
    Content(key: key, writer: writer, slot: slot, save: save, text: text, checksum: checksum)
  }
}

/// A writer's last save; each save changes it.
@Model
public final class Milestone {
  @Attribute(.unique) public var writer: Int
  public var save: Int
  /// What the save did, as a checksum.
  public var digest: Int

  public init(writer: Int, save: Int, digest: Int) {
    self.writer = writer
    self.save = save
    self.digest = digest
  }
}

/// The values of a row. They follow from the seed, the writer, the slot and the save.
public struct Content: Equatable, Sendable {
  package var key: String
  package var writer: Int
  package var slot: Int
  package var save: Int
  package var text: String
  package var checksum: Int
}

extension Content {
  package init(seed: UInt64, writer: Int, slot: Int, save: Int) {
    var random = SeededGenerator(seed: seed, writer, slot, save)
    let letter = UInt8(97 + random.next() % 26)
    // Now and then a text that needs pages of its own.
    let length = random.next() % 97 == 0 ? 6_000 : 10 + Int(random.next() % 120)
    self.init(
      key: "\(writer)/\(slot)", writer: writer, slot: slot, save: save, text: Self.text(letter, length),
      checksum: Int(truncatingIfNeeded: random.next()))
  }
  private static func text(_ letter: UInt8, _ length: Int) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      buffer[..<length].update(repeating: letter)
      return length
    }
  }
}
