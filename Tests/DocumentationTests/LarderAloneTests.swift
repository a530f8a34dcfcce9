import LarderAlone
import Testing

/// `import Larder` brings what `import SwiftData` brings.
@Suite struct LarderAloneTests {
  @Test func oneImportIsEnough() throws {
    let list = try ParcelList()
    try list.add(#"{"code":"AB","sent":"2026-01-02T03:04:05Z"}"#)
    try list.add(#"{"code":"C","sent":"2026-01-02T03:04:05Z"}"#)
    #expect(list.codes == ["AB"])
  }
}
