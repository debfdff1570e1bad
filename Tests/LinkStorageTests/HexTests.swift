import Testing

@testable import LinkStorage

struct HexTests {
    @Test(arguments: [
        "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ]) func uuidComesBack(_ text: String) throws {
        let bytes = try #require(Hex.bytes(ofUUID: text))
        #expect(bytes.count == 16)
        #expect(Hex.uuid(bytes) == text)
    }

    /// Only text that is restored exactly may be stored as bytes.
    @Test(arguments: [
        "", "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0", "01932F5E-7a2b-7c3d-8e4f-5a6b7c8d9e0f",
        "01932f5e7a2b7c3d8e4f5a6b7c8d9e0f0000", "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0g",
        "01932f5e-7a2b-7c3d-8e4f_5a6b7c8d9e0f", "é1932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0",
    ]) func otherTextStaysText(_ text: String) { #expect(Hex.bytes(ofUUID: text) == nil) }

    @Test func hexadecimalComesBack() throws {
        #expect(Hex.text(try #require(Hex.bytes(of: "00ff7e"))) == "00ff7e")
        #expect(Hex.bytes(of: "0") == nil)
        #expect(Hex.bytes(of: "0F") == nil)
    }
}
