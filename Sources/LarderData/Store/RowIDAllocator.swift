import LarderSQLite
import LarderSupport

/// Allocates row IDs from blocks that the store's metadata reserves for this process.
///
/// A row ID is permanent from the insert on, before the save; a block that belongs to one process makes that safe. A
/// reservation takes one short transaction, at the first insert and whenever a block is used up. If the reservation fails (a
/// full disk, another process that holds the lock, a read-only store), row IDs from a far higher range are allocated: an
/// insert cannot throw, and a save that meets another row under a row ID assigns a new one rather than overwrite that row.
package final class RowIDAllocator: Sendable {
  private struct Block {
    var next: Int64 = 0
    var end: Int64 = 0
    var size = StoreFormat.firstBlockSize
  }

  private let block = Locked(Block())

  package init() {}

  /// Returns the next row ID; `reserve` reserves a block of the given size and returns its first row ID.
  package func allocate(reserve: (Int64) throws -> Int64) -> Int64 {
    block.withLock { block in
      if block.next >= block.end {
        if let start = try? reserve(block.size) {
          block.next = start
          block.end = start + block.size
          block.size = min(block.size * 2, StoreFormat.maximumBlockSize)
        } else {
          // Not reserved: row IDs that no block and no row has, so that no unsaved object is taken for a stored row.
          // The next attempt follows after as many row IDs as the smallest block has.
          block.next = StoreFormat.unreservedBase + .random(in: 0..<StoreFormat.unreservedBase / 2)
          block.end = block.next + StoreFormat.firstBlockSize
        }
      }
      defer { block.next += 1 }
      return block.next
    }
  }

  /// Discards the rest of the block, because another program has used some of its row IDs.
  func discardBlock() { block.withLock { $0.next = $0.end } }

  /// The unused range of the block, released when the store closes.
  package var unused: Range<Int64>? {
    block.withLock { $0.next < $0.end && $0.next < StoreFormat.unreservedBase ? $0.next..<$0.end : nil }
  }
}
