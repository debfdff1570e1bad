import ArgumentParser
import Foundation
import LinkRouting
import LinkTable

struct Flip: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Flip single bits of a signed table. Fails if an app would accept one of the changed tables.",
        discussion: """
            Flips each bit of the first line, and random bits of the rest.

            EXAMPLE
              ClientBench flip /tmp/shop.table 100000
            """
    )

    @Argument(help: "A file that `sign` wrote.") var file: String
    @Argument(help: "The number of bits.") var count: Int

    func run() async throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        let (key, scope) = (try SignedShop.key().publicKey, try SignedShop.scope())
        _ = try SignedTable.verify(bytes, keys: [key], expecting: scope)
        var random = SystemRandomNumberGenerator()
        let lineBits = 8 * ((bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1)
        var bits = Array(0..<min(lineBits, count))
        while bits.count < count { bits.append(.random(in: lineBits..<bytes.count * 8, using: &random)) }
        let workers = ProcessInfo.processInfo.activeProcessorCount
        let accepted = await withTaskGroup(of: [Int].self) { [bits] group in
            for worker in 0..<workers {
                group.addTask {
                    var changed = bytes
                    return stride(from: worker, to: bits.count, by: workers).map { bits[$0] }.filter { bit in
                        changed[bit / 8] ^= 1 << (bit % 8)
                        defer { changed[bit / 8] ^= 1 << (bit % 8) }
                        return (try? SignedTable.verify(changed, keys: [key], expecting: scope)) != nil
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        guard accepted.isEmpty else {
            throw InputError(description: "Accepted with one of these bits flipped: \(accepted.prefix(10))")
        }
        print("\(count) flipped bits of \(bytes.count) bytes are refused")
    }
}
