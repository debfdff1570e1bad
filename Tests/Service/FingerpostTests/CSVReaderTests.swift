import LinkRouting
import LinkServer
import Testing

/// Comma-separated values as RFC 4180 describes them, and rows that are broken.
struct CSVReaderTests {
    private static let unfinished = "the row does not end; a quotation mark may be missing."

    private static func rows(_ bytes: [UInt8], partsOf size: Int = .max) -> [CSVReader.Row] {
        var reader = CSVReader()
        var rows: [CSVReader.Row] = []
        for start in stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))) {
            rows += reader.rows(of: bytes[start..<min(start + min(size, bytes.count), bytes.count)])
        }
        return rows + reader.lastRows()
    }

    @Test(
        arguments: [
            ("a,b\r\n1,2\r\n", [(1, ["a", "b"]), (2, ["1", "2"])]),
            ("a,b\n1,2", [(1, ["a", "b"]), (2, ["1", "2"])]),
            ("", []),
            ("\n\r\n", []),
            ("a\n\nb\n", [(1, ["a"]), (3, ["b"])]),
            (",\n", [(1, ["", ""])]),
            ("\u{FEFF}a,b\n", [(1, ["a", "b"])]),
            ("\u{FEFF}\"a\",b\n", [(1, ["a", "b"])]),
            ("\"a,b\",c\n", [(1, ["a,b", "c"])]),
            ("\"a\"\"b\"\n", [(1, ["a\"b"])]),
            ("\"\"\"\"\n", [(1, ["\""])]),
            ("\"\",x\n", [(1, ["", "x"])]),
            ("\"one\ntwo\r\nthree\",x\r\ny,z", [(1, ["one\ntwo\r\nthree", "x"]), (4, ["y", "z"])]),
            ("\"a\"\r\n\"b\"", [(1, ["a"]), (2, ["b"])]),
            (" a , b \n", [(1, [" a ", " b "])]),
            ("é,日本\n", [(1, ["é", "日本"])]),
            ("\u{FEFF}a;b\r\n1,5;2\r\n", [(1, ["a", "b"]), (2, ["1,5", "2"])]),
            ("a\tb;c\td\n1\t\"2\t3\"\t\n", [(1, ["a", "b;c", "d"]), (2, ["1", "2\t3", ""])]),
            ("\n\"a,b,c\";d\n1;2", [(2, ["a,b,c", "d"]), (3, ["1", "2"])]),
            ("a,b;c\n1;2,3\n", [(1, ["a", "b;c"]), (2, ["1;2", "3"])]),
        ] as [(String, [(Int, [String])])]
    )
    func rowsHaveTheirCellsAndLines(_ text: String, _ expected: [(Int, [String])]) {
        let rows = expected.map { CSVReader.Row(line: $0.0, .cells($0.1)) }
        let bytes = Array(text.utf8)
        #expect(Self.rows(bytes) == rows)
        // The parts of a file may end anywhere.
        for size in 1...7 { #expect(Self.rows(bytes, partsOf: size) == rows, "\(size)") }
    }

    /// The row after a broken one is read.
    @Test(
        arguments: [
            ("a,b\"c\nx,y\n", 1, 2, "a quotation mark is inside a cell"),
            ("\"a\"b,c\nx,y\n", 1, 1, "text follows the closing quotation mark"),
            ("a,\"b\nx,y\n", 1, 2, "the row does not end"),
        ] as [(String, Int, Int, String)]
    )
    func brokenRowNamesLineAndCell(_ text: String, _ line: Int, _ cell: Int, _ reason: String) {
        let rows = Self.rows(Array(text.utf8))
        #expect(rows.count == 2)
        guard case .broken(cell, let found)? = rows.first?.content else {
            Issue.record("\(rows)")
            return
        }
        #expect(rows.first?.line == line && found.hasPrefix(reason), "\(found)")
        #expect(rows.last == CSVReader.Row(line: line + 1, .cells(["x", "y"])))
    }

    @Test func textThatIsNotUTF8IsBroken() {
        let rows = Self.rows([0x61, 0x2C, 0xFF, 0x0A, 0x62, 0x0A])
        let reason = "the text is not UTF-8; save the file as UTF-8."
        #expect(
            rows == [CSVReader.Row(line: 1, .broken(cell: 2, reason: reason)), CSVReader.Row(line: 2, .cells(["b"]))]
        )
    }

    /// A missing quotation mark loses one row, not the rest of the file.
    @Test func unclosedQuotationMarkLosesOneRow() {
        let rows = Self.rows(Array("a,\"b\nc,d\ne,f\n".utf8))
        #expect(
            rows == [
                CSVReader.Row(line: 1, .broken(cell: 2, reason: Self.unfinished)),
                CSVReader.Row(line: 2, .cells(["c", "d"])), CSVReader.Row(line: 3, .cells(["e", "f"])),
            ]
        )
    }

    @Test func rowThatIsTooLongIsBrokenAndItsRestIsSkipped() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 * CSVReader.maximumRow)
        let rows = Self.rows(long + Array("\na,b\n".utf8), partsOf: 100_000)
        #expect(
            rows == [
                CSVReader.Row(line: 1, .broken(cell: 1, reason: Self.unfinished)),
                CSVReader.Row(line: 2, .cells(["a", "b"])),
            ]
        )
    }
}
