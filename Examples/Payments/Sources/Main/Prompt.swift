import Dispatch
import ExampleSupport
import Foundation

/// Asks whoever sits at the terminal.
enum Prompt {
  /// A line of the standard input. Of a terminal it is not shown; whoever stops the program meanwhile has a terminal that
  /// shows what is typed, as before.
  ///
  /// - Parameter words: What is asked. They are said to a terminal alone.
  static func hiddenLine(_ words: String) -> String {
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return readLine() ?? "" }
    let former = shown
    let ready = DispatchSemaphore(value: 0)
    let sources = [SIGINT, SIGTERM, SIGQUIT, SIGHUP].map { number in
      // Else the system's own answer, to end at once, would come first.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        show(former)
        // As a shell tells who was ended by a signal.
        _exit(128 + number)
      }
      source.setRegistrationHandler { ready.signal() }
      source.resume()
      return (number, source)
    }
    defer {
      show(former)
      for (number, source) in sources {
        source.cancel()
        signal(number, SIG_DFL)
      }
    }
    // Before anything is hidden, or there would be a moment in which a signal is lost, or leaves it so.
    for _ in sources { _ = ready.wait(timeout: .now() + registration) }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    Terminal.say(words)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    return readLine() ?? ""
  }

  /// In seconds: longer than it takes to listen for a signal, and no reason not to ask.
  private static let registration = 5.0

  /// With the end of the line that was typed, which was not shown either. At once: a terminal that was halted would never
  /// have all that was said to it.
  private static func show(_ former: termios) {
    var former = former
    tcsetattr(STDIN_FILENO, TCSANOW, &former)
    Terminal.say("")
  }
}
