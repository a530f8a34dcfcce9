/// Bodies of `application/problem+json` by the rules of RFC 9457, section 3, and what is read from them.
struct ProblemCase: Sendable {
  var json: String
  var type = "about:blank"
  var title: String?
  var status: Int?
  var detail: String?
  var instance: String?
  var extensions: [String: String] = [:]
  var fields: [String: [String]] = [:]
}

enum ProblemCorpus {
  static let all: [ProblemCase] = members + statuses + extensions + messages

  /// Section 3.1; what is of another type than it should be is as if it were not there.
  private static let members: [ProblemCase] =
    [
      ProblemCase(json: "{}"), ProblemCase(json: " \n{\t}\r\n"), ProblemCase(json: #"{"type":"about:blank"}"#),
      ProblemCase(json: #"{"type":"https://e.org/p"}"#, type: "https://e.org/p"),
      ProblemCase(json: #"{"type":"/problems/1"}"#, type: "/problems/1"), ProblemCase(json: #"{"type":""}"#, type: ""),
      ProblemCase(json: #"{"title":"a"}"#, title: "a"), ProblemCase(json: #"{"title":""}"#, title: ""),
      ProblemCase(json: #"{"title":"\u00e4\ud83d\ude00\""}"#, title: "ä😀\""),
      ProblemCase(json: #"{"title":"a\u0000b"}"#, title: "a\u{0}b"),
      ProblemCase(json: #"{"detail":"a\nb"}"#, detail: "a\nb"),
      ProblemCase(json: #"{"instance":"/a/1"}"#, instance: "/a/1"),
      ProblemCase(json: #"{"Title":"a"}"#, extensions: ["Title": "a"]),
      ProblemCase(
        json: #"{"type":"t","title":"a","status":403,"detail":"d","instance":"i"}"#, type: "t", title: "a", status: 403,
        detail: "d", instance: "i"),
    ]
    + ["type", "title", "detail", "instance"].flatMap { name in
      ["null", "1", "1.5", "true", "[]", "[\"a\"]", "{}", "{\"a\":\"b\"}"].map { value in
        ProblemCase(json: "{\"\(name)\":\(value)}")
      }
    }

  private static let statuses: [ProblemCase] =
    [100, 200, 301, 400, 403, 404, 422, 429, 500, 503, 599].map { (status: Int) in
      ProblemCase(json: "{\"status\":\(status)}", status: status)
    }
    + [
      "0", "-1", "99", "600", "1000", "403.5", "-403", "9223372036854775807", "9223372036854775808", "1e300", "\"403\"",
      "\"\"", "null", "true", "false", "[]", "[403]", "{}", "{\"a\":403}",
    ].map { ProblemCase(json: "{\"status\":\($0)}") }

  /// Section 3.2.
  private static let extensions: [ProblemCase] = [
    ProblemCase(json: #"{"balance":30}"#, extensions: ["balance": "30"]),
    ProblemCase(json: #"{"balance":1}"#, extensions: ["balance": "1"]),
    ProblemCase(json: #"{"balance":0}"#, extensions: ["balance": "0"]),
    ProblemCase(json: #"{"balance":-7}"#, extensions: ["balance": "-7"]),
    ProblemCase(json: #"{"ratio":0.5}"#, extensions: ["ratio": "0.5"]),
    ProblemCase(json: #"{"id":9223372036854775807}"#, extensions: ["id": "9223372036854775807"]),
    ProblemCase(json: #"{"isFinal":true}"#, extensions: ["isFinal": "true"]),
    ProblemCase(json: #"{"isFinal":false}"#, extensions: ["isFinal": "false"]),
    ProblemCase(json: #"{"note":"x"}"#, extensions: ["note": "x"]),
    ProblemCase(json: #"{"note":""}"#, extensions: ["note": ""]),
    ProblemCase(json: #"{"":"x"}"#, extensions: ["": "x"]),
    ProblemCase(json: #"{"a":null}"#), ProblemCase(json: #"{"a":[1,2]}"#), ProblemCase(json: #"{"a":{"b":1}}"#),
    ProblemCase(json: #"{"a":"1","b":2,"c":[],"d":true}"#, extensions: ["a": "1", "b": "2", "d": "true"]),
    ProblemCase(json: #"{"ä":"ö"}"#, extensions: ["ä": "ö"]),
  ]

  /// The shapes in which frameworks name the fields that are wrong.
  private static let messages: [ProblemCase] = [
    ProblemCase(json: #"{"errors":{"a":["x"]}}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":{"a":"x"}}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":{"a":["x","y"],"b":["z"]}}"#, fields: ["a": ["x", "y"], "b": ["z"]]),
    ProblemCase(json: #"{"errors":{"a":[1,"x",null,[]]}}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":{"a":[]}}"#), ProblemCase(json: #"{"errors":{"a":{}}}"#),
    ProblemCase(json: #"{"errors":{}}"#), ProblemCase(json: #"{"errors":[]}"#),
    ProblemCase(json: #"{"errors":null}"#), ProblemCase(json: #"{"errors":[null,1,"x",[]]}"#),
    ProblemCase(json: #"{"errors":[{"pointer":"/a","detail":"x"}]}"#, fields: ["/a": ["x"]]),
    ProblemCase(
      json: ##"{"errors":[{"pointer":"#/a/b","detail":"x"},{"pointer":"#/a/b","detail":"y"}]}"##,
      fields: ["#/a/b": ["x", "y"]]),
    ProblemCase(json: #"{"errors":[{"field":"a","message":"x"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":[{"name":"a","reason":"x"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":[{"path":"a","reason":"x"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":[{"field":"a"}]}"#), ProblemCase(json: #"{"errors":[{"message":"x"}]}"#),
    ProblemCase(json: #"{"errors":[{"field":1,"message":"x"}]}"#),
    ProblemCase(json: #"{"errors":[{"field":"a","message":["x"]}]}"#),
    ProblemCase(json: #"{"errors":[{"field":"a","message":"x"},{"field":"b"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"invalid-params":[{"name":"a","reason":"x"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"invalid_params":[{"name":"a","reason":"x"}]}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"invalid-params":{"a":["x"]}}"#, fields: ["a": ["x"]]),
    ProblemCase(json: #"{"errors":"all of it"}"#, extensions: ["errors": "all of it"]),
    ProblemCase(json: #"{"errors":7}"#, extensions: ["errors": "7"]),
  ]

  /// What is no JSON object (RFC 8259), or not all of one. A comma after the last member is not here: Foundation's reader
  /// takes it.
  static let none: [String] = [
    "", " ", "null", "true", "false", "0", "-1.5e3", "\"\"", "\"{}\"", "[]", "[{}]", "{", "}", "{{}", "{}}", "{} {}",
    "{},", "{\"a\"}", "{\"a\":}", "{,}", "{a:1}", "{'a':1}", "{\"a\":01}", "{\"a\":.5}", "{\"a\":1.}",
    "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":Infinity}", "{\"a\":tru}", "{\"a\":nul}", "{\"a\":\"}", "{\"a\":\"\\x\"}",
    "{\"a\":\"\\u12\"}", "{\"a\":\"\n\"}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{1:2}", "{null:1}", "<html></html>",
    "<problem/>", "title: a", "{\"a\":[}", "{\"a\":[1}", "{\"a\":{}", "//\n{}", "/**/{}", "undefined",
    "{\"title\":\"a\"", "{\"title\":\"a\"}x", "\u{FEFF}",
  ]
}
