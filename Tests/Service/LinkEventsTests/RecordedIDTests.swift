import LinkEvents
import LinkRouting
import Testing

struct RecordedIDTests {
    @Test(arguments: [
        "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ]) func uuidRoundTrips(_ text: String) throws {
        let bytes = try #require(Bytes16(text, .uuid))
        #expect(bytes.text(.uuid) == text)
        #expect(Bytes16(Array(bytes)) == bytes)
        #expect(RecordedID(text) == RecordedID(uuid: bytes))
        #expect(RecordedID(text).description == text)
    }

    /// A text is stored as bytes only if reading the bytes restores exactly that text.
    @Test(arguments: [
        "", "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0", "01932F5E-7a2b-7c3d-8e4f-5a6b7c8d9e0f",
        "01932f5e7a2b7c3d8e4f5a6b7c8d9e0f0000", "01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0g",
        "01932f5e-7a2b-7c3d-8e4f_5a6b7c8d9e0f", "é1932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0",
        "01932f5e7a2b7c3d8e4f5a6b7c8d9e0f",
    ]) func otherTextStaysText(_ text: String) {
        #expect(Bytes16(text, .uuid) == nil)
        #expect(RecordedID(text).description == text)
    }

    @Test(arguments: ["01932f5e-7a2b-7c3d-8e4f-5a6b7c8d9e0f", "", "a \"quoted\" text", "é"])
    func memberOfJSONIsTheDescription(_ text: String) {
        for layout in [JSONWriter.Layout.compact, .pretty] {
            var (written, expected) = (JSONWriter(layout), JSONWriter(layout))
            written.beginObject()
            RecordedID(text).write(to: &written, key: "id")
            written.member("next", 1)
            written.endObject()
            expected.beginObject()
            expected.member("id", text)
            expected.member("next", 1)
            expected.endObject()
            #expect(written.text == expected.text)
        }
    }

    @Test func installRoundTrips() throws {
        let install = try #require(InstallID("00112233445566778899aabbccddeeff"))
        #expect(Array(install.bytes) == (0..<16).map { $0 * 0x11 })
        #expect(install.description == "00112233445566778899aabbccddeeff")
    }

    @Test(arguments: ["", "0", "00112233445566778899aabbccddeef", "00112233445566778899AABBCCDDEEFF"])
    func otherTextIsNotAnInstall(_ text: String) { #expect(InstallID(text) == nil) }

    @Test(arguments: [0, 15, 17]) func otherNumbersOfBytesAreRejected(_ count: Int) {
        #expect(Bytes16(Array(repeating: 7, count: count)) == nil)
    }
}
