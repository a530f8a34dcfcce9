import LarderSQLite
import LarderSupport

/// Gives out row identifiers, from blocks that the store's bookkeeping reserves for this process.
///
/// An identifier is permanent from the insert on, before anything is saved; a block that no other process has makes
/// that safe. Reserving takes one short transaction, at the first insert and whenever a block is used up. Where that
/// fails (a full disk, another process that holds the lock, a store that is only read) numbers from far above are given
/// out: an insert cannot throw, and a save that meets another's row draws a new identifier rather than overwrite it.
package final class RowIDAllocator: Sendable {
  private struct Block {
    var next: Int64 = 0
    var end: Int64 = 0
    var size = StoreFormat.firstBlockSize
  }

  private let block = Locked(Block())

  package init() {}

  /// The next identifier; `reserve` makes a block of the given size and returns its beginning.
  package func allocate(reserve: (Int64) throws -> Int64) -> Int64 {
    block.withLock { block in
      if block.next >= block.end {
        if let start = try? reserve(block.size) {
          block.next = start
          block.end = start + block.size
          block.size = min(block.size * 2, StoreFormat.maximumBlockSize)
        } else {
          // Not reserved: numbers that no block and no row has, so that nothing in hand is taken for a stored row.
          // Another try follows after as many as the smallest block has.
          block.next = StoreFormat.unreservedBase + .random(in: 0..<StoreFormat.unreservedBase / 2)
          block.end = block.next + StoreFormat.firstBlockSize
        }
      }
      defer { block.next += 1 }
      return block.next
    }
  }

  /// Leaves what is left of the block: another program has taken numbers of it.
  func discardBlock() { block.withLock { $0.next = $0.end } }

  /// What is left of the block, to be given back when the store closes: from, and up to but without, the end.
  package var unused: Range<Int64>? {
    block.withLock { $0.next < $0.end && $0.next < StoreFormat.unreservedBase ? $0.next..<$0.end : nil }
  }
}
