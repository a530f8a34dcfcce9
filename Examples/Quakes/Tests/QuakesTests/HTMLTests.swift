import ExampleSupport
import Testing

@Suite struct HTMLTests {
  @Test func whatIsPutIntoMarkupIsEscaped() {
    let hostile = #"<script>"x" & 'y' `z`</script>"#
    let markup: HTML = "<td title=\"\(hostile)\">\(hostile)</td>"
    let escaped = "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39; &#96;z&#96;&lt;/script&gt;"
    #expect(markup.text == "<td title=\"\(escaped)\">\(escaped)</td>")
  }

  @Test func markupInMarkupStaysAsItIs() {
    let inner: HTML = "<b>\(1)</b>"
    let outer: HTML = "<p>\(inner)</p>"
    #expect(outer.text == "<p><b>1</b></p>")
  }

  @Test(arguments: ["\u{0}", "\u{8}", "\u{1B}", "\u{7F}", "\u{9F}"])
  func controlCharactersAreReplaced(character: String) {
    #expect(HTML.escape("a" + character + "b") == "a\u{FFFD}b")
  }

  @Test func otherTextIsKept() {
    #expect(HTML.escape("Hualién, 台灣\t🌋\n") == "Hualién, 台灣\t🌋\n")
  }
}
