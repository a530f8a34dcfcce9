import Foundation
import LarderSQLite
import LarderSupport

/// Names of functions by their addresses, from the program's executable file.
///
/// The runtime describes a computed property in a key path by the address of its accessor, since it looks only at exported
/// symbols. The file has the other symbols, too, unless they were stripped. The whole file is read for each new address:
/// look up a name when an error is created, not in a query.
enum SymbolNames {
  // A program has a fixed number of accessors, so this cache stays bounded.
  private static let cache = Locked<[UInt: String]>([:])

  /// Returns the name of the property whose key path has this accessor.
  static func property(ofAccessor address: UInt) -> String? {
    if let known = cache.withLock({ $0[address] }) { return known }
    // Not cached: a file that cannot be read now may be readable later.
    guard let name = readProperty(ofAccessor: address) else { return nil }
    cache.withLock { $0[address] = name }
    return name
  }

  static func isCached(_ address: UInt) -> Bool { cache.withLock { $0[address] != nil } }

  private static func readProperty(ofAccessor address: UInt) -> String? {
    #if os(Linux)
      guard let symbol = mangledName(of: address), let name = demangled(symbol) else { return nil }
      // "key path getter for Module.Quake.isStrong : Swift.Bool : Module.Quake"
      guard let end = name.range(of: " : ") else { return nil }
      let path = name[..<end.lowerBound]
      guard let dot = path.lastIndex(of: ".") else { return nil }
      var property = path[path.index(after: dot)...]
      // A private property is "(isStrong in _1A2B…)".
      if property.first == "(", let inside = property.range(of: " in ") {
        property = property[..<inside.lowerBound].dropFirst()
      }
      return property.isEmpty || property.contains(" ") ? nil : String(property)
    #else
      return nil
    #endif
  }
}

#if os(Linux)
  @_silgen_name("swift_demangle")
  private func swiftDemangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
  ) -> UnsafeMutablePointer<CChar>?

  extension SymbolNames {
    private static func demangled(_ symbol: String) -> String? {
      guard let text = swiftDemangle(symbol, UInt(symbol.utf8.count), nil, nil, 0) else { return nil }
      defer { free(text) }
      return String(cString: text)
    }

    /// Returns the file that is mapped at an address, and the address of its first byte.
    private static func mapping(of address: UInt) -> (file: String, base: UInt)? {
      guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return nil }
      var bases: [Substring: UInt] = [:]
      for line in maps.split(separator: "\n") {
        guard let slash = line.firstIndex(of: "/") else { continue }
        let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard range.count == 2 else { continue }
        let file = line[slash...]
        let base = bases[file] ?? range[0]
        bases[file] = base
        if address >= range[0], address < range[1] { return (String(file), base) }
      }
      return nil
    }

    private static func mangledName(of address: UInt) -> String? {
      guard let (file, base) = mapping(of: address),
        let bytes = try? Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
      else { return nil }
      return bytes.withUnsafeBytes { ELFSymbols($0)?.name(of: UInt64(address - base)) }
    }
  }

  /// The symbol table of a 64-bit ELF file. Whatever the file contains, no memory outside of it is read.
  private struct ELFSymbols {
    private let file: UnsafeRawBufferPointer
    private var symbols: Range<Int> = 0..<0
    private var names: Range<Int> = 0..<0

    private static let symbolSize = 24

    init?(_ file: UnsafeRawBufferPointer) {
      self.file = file
      // 64 bits, little-endian.
      guard file.count >= 64, file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
      let (start, size, count) = (fileOffset(0x28), Int(read(0x3A, as: UInt16.self)), Int(read(0x3C, as: UInt16.self)))
      func section(_ index: Int) -> Range<Int>? {
        let header = start + index * size
        guard size >= 0x40, header >= 0, header <= file.count - size else { return nil }
        let (first, length) = (fileOffset(header + 0x18), fileOffset(header + 0x20))
        return first <= file.count && length <= file.count - first ? first..<first + length : nil
      }
      let table = (0..<count).first { index in
        section(index) != nil && read(start + index * size + 4, as: UInt32.self) == 2
      }
      guard let table, let symbols = section(table),
        let names = section(Int(read(start + table * size + 0x28, as: UInt32.self)))
      else { return nil }
      self.symbols = symbols
      self.names = names
    }

    func name(of address: UInt64) -> String? {
      for symbol in stride(
        from: symbols.lowerBound, through: symbols.upperBound - ELFSymbols.symbolSize, by: ELFSymbols.symbolSize)
      where read(symbol + 8, as: UInt64.self) == address {
        let start = names.lowerBound + Int(read(symbol, as: UInt32.self))
        guard start < names.upperBound else { continue }
        let text = file[start..<names.upperBound].prefix { $0 != 0 }
        if text.starts(with: "$s".utf8) { return String(decoding: text, as: UTF8.self) }
      }
      return nil
    }

    private func read<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
      file.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Returns an offset in the file, or a number that is too large to be one.
    private func fileOffset(_ offset: Int) -> Int { Int(exactly: read(offset, as: UInt64.self)) ?? Int.max / 4 }
  }
#endif
