import DiarySwift5
import DiarySwift5MainActor
import DiarySwift6
import DiarySwift6MainActor
import DiarySwift6MainActorNonsending
import DiarySwift6Nonsending
import Testing

/// The same source, compiled in each way that a user's module may be, does the same.
@Suite struct LanguageModeTests {
  private let expected = [
    "inserted 1 false",
    #"view model ["Sun (5)", "Rain again (30)"] "#,
    #"longer than ten ["Storm"]"#,
    #"read back Storm Bergen stormy ["weather"] true false"#,
    "letter to Ann calm",
    "drafts 2",
    #"left ["Sun"]"#,
  ]

  @Test func swift5() async throws { #expect(try await DiarySwift5.keepDiary() == expected) }
  @Test func swift6() async throws { #expect(try await DiarySwift6.keepDiary() == expected) }
  @Test func swift5WithTheMainActorAsDefault() async throws {
    #expect(try await DiarySwift5MainActor.keepDiary() == expected)
  }
  @Test func swift6WithTheMainActorAsDefault() async throws {
    #expect(try await DiarySwift6MainActor.keepDiary() == expected)
  }
  @Test func swift6WithNonisolatedNonsending() async throws {
    #expect(try await DiarySwift6Nonsending.keepDiary() == expected)
  }
  @Test func swift6WithBoth() async throws {
    #expect(try await DiarySwift6MainActorNonsending.keepDiary() == expected)
  }
}
