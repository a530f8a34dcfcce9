/// Dates of header fields by the rules of RFC 9110, section 5.6.7, as seconds since 1970; nil for what is none.
///
/// The present is Sun, 06 Nov 1994 08:49:37 GMT, which years of two digits are near to.
enum DateCorpus {
  static let all: [(field: String, seconds: Int64?)] = forms + months + calendar + years + lenient + none

  private static let forms: [(field: String, seconds: Int64?)] = [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
    ("Sun, 07 Feb 2106 06:28:16 GMT", 4_294_967_296), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Wed, 01 Jan 1000 00:00:00 GMT", -30_610_224_000), ("Sat Nov 26 12:00:00 1994", 785_851_200),
  ]

  private static let months: [(field: String, seconds: Int64?)] = [
    ("Sat, 01 Jan 1994 00:00:00 GMT", 757_382_400), ("Tue, 01 Feb 1994 00:00:00 GMT", 760_060_800),
    ("Tue, 01 Mar 1994 00:00:00 GMT", 762_480_000), ("Fri, 01 Apr 1994 00:00:00 GMT", 765_158_400),
    ("Sun, 01 May 1994 00:00:00 GMT", 767_750_400), ("Wed, 01 Jun 1994 00:00:00 GMT", 770_428_800),
    ("Fri, 01 Jul 1994 00:00:00 GMT", 773_020_800), ("Mon, 01 Aug 1994 00:00:00 GMT", 775_699_200),
    ("Thu, 01 Sep 1994 00:00:00 GMT", 778_377_600), ("Sat, 01 Oct 1994 00:00:00 GMT", 780_969_600),
    ("Tue, 01 Nov 1994 00:00:00 GMT", 783_648_000), ("Thu, 01 Dec 1994 00:00:00 GMT", 786_240_000),
  ]

  /// The last days of months, in leap years and others.
  private static let calendar: [(field: String, seconds: Int64?)] = [
    ("Mon, 31 Jan 1994 00:00:00 GMT", 759_974_400), ("Tue, 32 Jan 1994 00:00:00 GMT", nil),
    ("Mon, 28 Feb 1994 00:00:00 GMT", 762_393_600), ("Tue, 29 Feb 1994 00:00:00 GMT", nil),
    ("Thu, 29 Feb 1996 00:00:00 GMT", 825_552_000), ("Fri, 30 Feb 1996 00:00:00 GMT", nil),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 1900 00:00:00 GMT", nil),
    ("Mon, 29 Feb 2100 00:00:00 GMT", nil), ("Tue, 29 Feb 2400 00:00:00 GMT", 13_574_563_200),
    ("Sun, 31 Apr 1994 00:00:00 GMT", nil), ("Fri, 31 Jun 1994 00:00:00 GMT", nil),
    ("Sat, 31 Sep 1994 00:00:00 GMT", nil), ("Thu, 31 Nov 1994 00:00:00 GMT", nil),
    ("Sat, 31 Dec 1994 23:59:59 GMT", 788_918_399), ("Sat, 31 Dec 1994 23:59:60 GMT", 788_918_400),
    ("Sun, 00 Nov 1994 08:49:37 GMT", nil), ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
    ("Sun, 06 Nov 1994 00:00:00 GMT", 784_080_000), ("Sun, 06 Nov 1994 23:59:59 GMT", 784_166_399),
    ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 06 Nov 1994 08:60:37 GMT", nil),
    ("Sun, 06 Nov 1994 08:49:61 GMT", nil),
  ]

  /// A year of two digits is no more than fifty ahead.
  private static let years: [(field: String, seconds: Int64?)] = [
    ("Sunday, 01-Jan-94 00:00:00 GMT", 757_382_400), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
    ("Friday, 01-Jan-44 00:00:00 GMT", 2_335_219_200), ("Monday, 01-Jan-45 00:00:00 GMT", -788_918_400),
    ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Friday, 01-Jan-99 00:00:00 GMT", 915_148_800),
    ("Sun, 06 Nov 94 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-1994 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 94", 784_111_777), ("Sun, 06 Nov 0994 08:49:37 GMT", nil),
    ("Sun, 06 Nov 994 08:49:37 GMT", nil), ("Sun, 06 Nov 19940 08:49:37 GMT", nil),
    ("Sun, 06 Nov 4 08:49:37 GMT", nil), ("Sun, 06 Nov 0000 08:49:37 GMT", nil),
    ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
  ]

  /// What servers write, and means nothing else.
  private static let lenient: [(field: String, seconds: Int64?)] = [
    ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777), ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777),
    ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun,06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sun 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sun, 06 Nov 1994 08:49:37 UTC", 784_111_777),
    ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777), ("  Sun, 06 Nov 1994 08:49:37 GMT  ", 784_111_777),
    // The name of the day is not looked at.
    ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Xyz, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sun Nov 06 08:49:37 1994", 784_111_777), ("Sun Nov 6 08:49:37 1994", 784_111_777),
  ]

  private static let none: [(field: String, seconds: Int64?)] = [
    "", " ", ",", "-", "0", "784111777", "GMT", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
    "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:7 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
    "Sun, 06 Nov 1994 084937 GMT", "Sun, 06 Nov 1994 ::  GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0500", "Sun, 06 Nov 1994 08:49:37 Z",
    "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 06 Nov 1994 08:49:37.5 GMT",
    "Sun, 06 11 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06 Nov. 1994 08:49:37 GMT",
    "Sun, Nov 06 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
    "Sun, 0x Nov 1994 08:49:37 GMT", "Sun, ٦ Nov 1994 08:49:37 GMT", "Sun, ６ Nov 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z", "1994-11-06 08:49:37", "Sun, 06 Nov 1994 08:49:37 G\u{301}MT", "Sun\u{0}", "never", "now",
    "-1", "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, 06 Nov 1994 08:-9:37 GMT",
    "tomorrow at noon by the clock on the old town hall",
  ].map { ($0, nil) }
}
