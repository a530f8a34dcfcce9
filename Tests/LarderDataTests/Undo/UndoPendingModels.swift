import LarderData
import LarderModels

// Many to many, with each delete rule that does more than to part.

@Model
final class Slideshow {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Slide.slideshows) var slides: [Slide] = []
  @Relationship(deleteRule: .deny, inverse: \Slide.covers) var cover: [Slide] = []

  init(number: Int) { self.number = number }
}

@Model
final class Slide {
  var number: Int
  var slideshows: [Slideshow] = []
  var covers: [Slideshow] = []

  init(number: Int) { self.number = number }
}
