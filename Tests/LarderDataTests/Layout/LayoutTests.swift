import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

@Suite struct LayoutTests {
  private let layout = LayoutQuake._$layout

  @Test func scalarsComeFirstInWireOrder() {
    #expect(
      layout.columns.map(\.name) == [
        "code", "magnitude", "time", "place_name", "place_spot_x", "place_spot_y", "kind", "alias", "former",
        "former_name", "former_spot_x", "former_spot_y", "whole", "tags",
      ])
    #expect(layout.columns.map(\.index) == Array(layout.columns.indices))
    #expect(layout.columns.first?.wireColumn == 2)
    #expect(layout.problem == nil)
  }

  @Test func theTableHasTheOrderOfTheSource() {
    #expect(
      layout.declaredColumns.map(\.name) == [
        "place_name", "place_spot_x", "place_spot_y", "code", "kind", "magnitude", "alias", "former", "former_name",
        "former_spot_x", "former_spot_y", "time", "whole", "tags",
      ])
    #expect(
      layout.properties.map(\.name) == [
        "place", "code", "kind", "magnitude", "alias", "former", "time", "whole", "tags",
      ])
    for property in layout.properties {
      #expect(layout.columns[property.columns].allSatisfy { $0.property == property.index })
    }
  }

  @Test func columnsSayWhatTheyHold() throws {
    func column(_ name: String) throws -> ColumnLayout { try #require(layout.columns.first { $0.name == name }) }
    #expect(try column("kind").isOptional && column("kind").type == .text)
    #expect(try !column("former").isOptional && column("former").form == .presence)
    #expect(try column("former_spot_x").isOptional)
    #expect(try !column("place_spot_x").isOptional)
    #expect(try column("whole").form == .json)
    #expect(try column("alias").form == .value)
  }

  @Test func groupsAreColumns() {
    func names(_ groups: [[Int]]) -> [[String]] { groups.map { $0.map { layout.columns[$0].name } } }
    #expect(
      names(layout.uniqueGroups) == [
        ["code"], ["place_name", "kind"], ["place_name", "place_spot_x", "place_spot_y"],
      ])
    #expect(names(layout.indexGroups) == [["time"], ["place_spot_x", "magnitude"], ["alias"]])
    #expect(layout.uniqueMask == 0b111)
  }

  @Test func theSchemaHasTheSameMembers() throws {
    let members = try #require(Schema.compositeProperties(of: LayoutPlace?.self))
    #expect(members.map(\.name) == ["name", "spot"])
    #expect((members.last as? Schema.CompositeAttribute)?.properties.map(\.name) == ["x", "y"])
    #expect(Schema.compositeProperties(of: [LayoutPlace].self) == nil)
    #expect(Schema.compositeProperties(of: LayoutKind.self) == nil)
  }

  @Test func propertiesAreFoundByKeyPath() {
    #expect(layout.property(\LayoutQuake.magnitude)?.name == "magnitude")
    #expect(layout.property(\LayoutQuake.seen) == nil)
    #expect(layout.property(named: "former")?.isOptional == true)
  }

  @Test func problemsNameModelPropertyAndWhatToDo() throws {
    func problem(_ layout: _ModelLayout) throws -> String { try #require(layout.problem?.explanation) }
    #expect(try problem(LayoutCollision._$layout).contains("place_Name"))
    #expect(try problem(LayoutOwnPrefix._$layout).contains("larder_"))
    #expect(try problem(LayoutTransientKey._$layout).contains("#Index of LayoutTransientKey"))
    #expect(try problem(LayoutEphemeral._$layout).contains("the option .ephemeral, which @Model did not see"))
    #expect(try problem(LayoutExternal._$layout).contains("the option .externalStorage, which @Model did not see"))
    #expect(
      try problem(LayoutTransformed._$layout).contains("the option .transformable(by:), which @Model did not see"))
    #expect(try problem(LayoutExternalModel._$layout).contains("is a relationship, and .externalStorage"))
    #expect(try problem(LayoutExternalIndex._$layout).contains("whose value is not in the row (.externalStorage)"))
  }

  @Test func aModelWithAProblemCanBeUsedInMemory() {
    let friend = LayoutFriend(name: "a")
    friend.best = LayoutFriend(name: "b")
    #expect(friend.best?.name == "b")
    let friends = LayoutFriends()
    friends.friends.append(friend)
    #expect(friends.friends.count == 1)
  }
}
