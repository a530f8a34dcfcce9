#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The desktop session's message bus.
  enum SessionBus {
    /// Whether a session bus exists. GLib is not queried, as it may start a bus by itself if none exists.
    static var isAvailable: Bool {
      if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
      guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
      var status = stat()
      return stat(String(cString: folder) + "/bus", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
  }
#endif
