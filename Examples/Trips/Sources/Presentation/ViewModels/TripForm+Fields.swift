import ExampleSupport
import Foundation

extension TripForm {
  /// Reads what a browser sent; nil if it is no form of ours.
  init?(_ fields: FormFields) {
    guard let id = fields["id"], let name = fields["name"] else { return nil }
    let ids = fields.all("leg-id").map(UUID.init(uuidString:))
    let (origins, destinations) = (fields.all("leg-from"), fields.all("leg-to"))
    let means = fields.all("leg-by").map(TravelMeans.init(rawValue:))
    guard origins.count == ids.count, destinations.count == ids.count, means.count == ids.count,
      ids.count <= Trip.mostLegs
    else { return nil }
    var legs: [LegFields] = []
    for index in ids.indices {
      guard let id = ids[index], let means = means[index], !legs.contains(where: { $0.id == id }) else { return nil }
      legs.append(LegFields(id: id, origin: origins[index], destination: destinations[index], means: means))
    }
    self.init(
      id: id, name: name, firstDay: fields["first-day"] ?? "", lastDay: fields["last-day"] ?? "",
      people: fields["people"] ?? "", tags: fields["tags"] ?? "", legs: legs,
      seen: TripVersion(rawValue: fields["seen"] ?? ""))
  }
}

extension TripForm.Action {
  /// Reads the value of the button that was pressed: `save`, `add`, `up:…`, `down:…`, `remove:…`.
  init?(_ value: String?) {
    let parts = (value ?? "save").split(separator: ":", maxSplits: 1)
    let id = parts.count > 1 ? UUID(uuidString: String(parts[1])) : nil
    switch (parts.first, id) {
    case ("save", nil): self = .save
    case ("add", nil): self = .add(UUID())
    case ("up", let id?): self = .up(id)
    case ("down", let id?): self = .down(id)
    case ("remove", let id?): self = .remove(id)
    default: return nil
    }
  }
}
