import Foundation

/// How posix_spawn(3) is asked for a process.
enum SpawnedProcess {
  /// - Parameters:
  ///   - words: The program's name and its arguments.
  ///   - environment: Names and values, with an equals sign between them.
  ///   - streams: What stands at these descriptors; it gets no others.
  /// - Returns: Its number.
  static func start(
    _ path: String, _ words: [String], _ environment: [String], _ streams: [(Int32, ChildProgram.Stream)]
  ) throws(ChildProgram.NotStarted) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // One of the first three may be put where another one is taken from.
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    func put(_ descriptor: Int32, at number: Int32) {
      var source = descriptor
      if source < 3, source != number {
        source = fcntl(source, F_DUPFD_CLOEXEC, 3)
        copies.append(source)
      }
      posix_spawn_file_actions_adddup2(&actions, source, number)
    }
    for (number, stream) in streams {
      switch stream {
      // Where this program has none, the other has none either.
      case .own: if fcntl(number, F_GETFD) >= 0 { put(number, at: number) }
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .file(let handle): put(handle.fileDescriptor, at: number)
      case .pipe(let pipe): put(pipe.end(of: number).fileDescriptor, at: number)
      }
    }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, so that Ctrl-C is this program's alone; and no signal that ends a program is held back or ignored,
    // as it may be for the thread or the program that starts it.
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      closeRest(&actions)
    #endif
    var none = sigset_t()
    sigemptyset(&none)
    var defaults = none
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var process: pid_t = 0
    let result = withCStrings(words) { words in
      withCStrings(environment) { posix_spawn(&process, path, &actions, &attributes, words, $0) }
    }
    guard result == 0 else {
      throw ChildProgram.NotStarted(description: "\(path) cannot be started: \(String(cString: strerror(result)))")
    }
    return process
  }

  #if !canImport(Darwin)
    /// Closes whatever stands behind the three.
    private static func closeRest(_ actions: inout posix_spawn_file_actions_t) {
      typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
      // What glibc has since 2.34, and Swift does not see by its name. Nothing that is opened meanwhile escapes it.
      if let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
        _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, 3)
        return
      }
      for descriptor in 3..<Int32(clamping: max(3, sysconf(Int32(_SC_OPEN_MAX))))
      where fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    }
  #endif

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let strings = texts.map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    return strings.withUnsafeBufferPointer { buffer in
      // There is one element at least.
      body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}

extension ChildProgram.Stream {
  /// Closes what only the program is to have, so that the end of a pipe is seen when it has ended.
  func closeEnd(of number: Int32) {
    if case .pipe(let pipe) = self { try? pipe.end(of: number).close() }
  }
}

extension Pipe {
  /// The end that a program has as this descriptor.
  fileprivate func end(of number: Int32) -> FileHandle { number == 0 ? fileHandleForReading : fileHandleForWriting }
}
