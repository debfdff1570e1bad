import ArgumentParser
import Foundation
import LinkRouting

#if canImport(CMalloc)
    import CMalloc
#endif

struct Compile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Compile a generated table. Print the seconds, those of a dictionary of patterns, and the heap of a route.",
        discussion: """
            The heap is the memory that malloc has allocated (mallinfo2), so it is exact and the same in every run. The
            output also contains the resident size. `table` is the heap of the table as it is read and edited, `router`
            the additional heap of the compiled table.

            EXAMPLE
              RoutingBench compile 1000000
            """
    )

    @Argument(help: "The number of routes.") var count: Int

    func run() throws {
        let identity = try BenchTable.identity()
        let rows = TableSource.generate(count)
        let before = HeapUse()
        let clock = ContinuousClock()
        let start = clock.now
        let table = try TableSource.table(reading: rows)
        let reading = clock.now - start
        let read = HeapUse()
        let readInstant = clock.now
        let router = Router(identity: identity, table: table)
        let compiling = clock.now - readInstant
        let compiled = HeapUse()
        let indexInstant = clock.now
        let index = Dictionary(rows.enumerated().map { ($1.pattern, $0) }) { first, _ in first }
        let indexing = clock.now - indexInstant
        func perRoute(_ bytes: Int) -> Double { Double(bytes) / Double(max(1, count)) }
        withExtendedLifetime((index, table, router)) {
            print(
                #"{"routes":\#(count),"seconds":\#(compiling.nanoseconds / 1e9),"#
                    + #""readingSeconds":\#(reading.nanoseconds / 1e9),"#
                    + #""dictionarySeconds":\#(indexing.nanoseconds / 1e9),"#
                    + #""table":\#(perRoute(read.heap - before.heap)),"router":\#(perRoute(compiled.heap - read.heap)),"#
                    + #""resident":\#(perRoute(compiled.resident - before.resident))}"#
            )
        }
    }
}

/// Heap use of the process in bytes.
private struct HeapUse {
    var heap = 0
    var resident = 0

    init() {
        #if canImport(CMalloc)
            malloc_trim(0)
            let information = mallinfo2()
            heap = Int(information.uordblks) + Int(information.hblkhd)
        #endif
        let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        resident = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
