import Foundation

/// How much memory this process has, as Linux tells it, in bytes.
package enum ResidentMemory {
  package static func now() -> Int { value("VmRSS") }
  /// The most since the process began, or since the peak was forgotten.
  package static func peak() -> Int { value("VmHWM") }

  /// proc(5), clear_refs: 5 sets the peak to what there is now.
  package static func forgetPeak() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  private static func value(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
  }
}
