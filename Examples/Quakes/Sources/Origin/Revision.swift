import Foundation

/// A magnitude that the replay revises, as `Scripts/revise.py` wrote it.
struct Revision: Decodable, Sendable {
  /// From when on the feed has it, in the feed's milliseconds.
  let at: Int64
  let code: String
  let magnitude: Double

  /// The committed file.
  struct List: Decodable {
    let revisions: [Revision]
  }
}
