import NIOHTTP1
import Networking
import Testing

struct FieldValueTests {
    @Test(arguments: [
        ("one", "one"), ("one ", "one"), ("one\t", "one"), (" \t one \t ", "one"), ("one two", "one two"), ("é ", "é"),
        (" ", ""), ("", ""), ("one\u{A0}", "one\u{A0}"),
    ])
    func blanksAroundAValueAreNotPartOfIt(sent: String, value: String) {
        let fields = [("Host", "a"), ("X-A", sent), ("X-A", "b")]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/ ", headers: HTTPHeaders(fields))
        let read = head.trimmingFieldValues
        #expect(read.headers.map(\.name) == fields.map(\.0))
        #expect(read.headers.map(\.value) == ["a", value, "b"])
        #expect(read.uri == head.uri)
    }
}
