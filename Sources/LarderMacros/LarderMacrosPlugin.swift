import SwiftSyntaxMacros

#if LARDER_HOST_SWIFT_SYNTAX
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
#else
  import SwiftCompilerPlugin
#endif

#if LARDER_HOST_SWIFT_SYNTAX
  // The toolchain ships SwiftSyntax without the SwiftCompilerPlugin module. These lines replace it.
  struct Provider: PluginProvider {
    struct UnknownMacro: Error { let name: String }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      guard let macro = larderMacros.first(where: { String(describing: $0) == typeName }) else {
        throw UnknownMacro(name: typeName)
      }
      return macro
    }
  }

  @main
  struct LarderMacrosPlugin {
    static func main() throws {
      let connection = try StandardIOMessageConnection()
      let listener = CompilerPluginMessageListener(connection: connection, provider: Provider())
      try listener.main()
    }
  }
#else
  @main
  struct LarderMacrosPlugin: CompilerPlugin {
    let providingMacros = larderMacros
  }
#endif
