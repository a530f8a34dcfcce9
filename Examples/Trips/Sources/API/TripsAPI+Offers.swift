extension TripsAPI {
  var offers: [Trip] { trips.map(Trip.init) }

  func offer(_ trip: Trip) {
    change { trips in
      let index = trips.firstIndex { $0.id == trip.id }
      var offer = TripDTO(id: trip.id, name: trip.name, startDate: trip.startDate, endDate: trip.endDate)
      guard let index else { return trips.append(offer) }
      offer.legs = trips[index].legs
      offer.people = trips[index].people
      offer.tags = trips[index].tags
      trips[index] = offer
    }
  }
}

extension Trip {
  fileprivate init(_ dto: TripDTO) {
    self.init(id: dto.id, name: dto.name, startDate: dto.startDate, endDate: dto.endDate)
  }
}
