import Testing

@testable import quakes

@Suite struct PageQueryTests {
  @Test func anAddressSaysWhatWasAskedFor() {
    let query = PageQuery(["sort": "magnitude", "order": "asc", "min": "2.5", "text": " A&B+c ", "rows": "400"])
    #expect(query == PageQuery(sort: .magnitude, order: .ascending, minimum: 2.5, text: "A&B+c", rows: 400))
    #expect(query.address == "/?sort=magnitude&order=asc&min=2.5&text=A%26B%2Bc&rows=400")
  }

  @Test func nonsenseIsLeftAtTheDefault() {
    let query = PageQuery(["sort": "<b>", "order": "up", "min": "nan", "rows": "-7", "text": "   "])
    #expect(query == PageQuery(sort: .time, order: .descending, minimum: nil, text: "", rows: 1))
    #expect(PageQuery(["min": "1e999"]).minimum == nil)
    #expect(PageQuery(["rows": "99999999"]).rows == PageQuery.mostRows)
    #expect(PageQuery(["text": String(repeating: "x", count: 5000)]).text.count == PageQuery.longestText)
  }

  @Test func aSecondClickTurnsTheOrder() {
    let query = PageQuery()
    #expect(query.sorted(by: .magnitude).order == .descending)
    #expect(query.sorted(by: .magnitude).sorted(by: .magnitude).order == .ascending)
    #expect(query.sorted(by: .place).order == .ascending)
  }
}
