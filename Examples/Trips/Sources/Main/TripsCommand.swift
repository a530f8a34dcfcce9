import Foundation

@main
enum TripsCommand {
  static func main() async {}
}
