import AppAssociation
import LinkRouting

/// The input is a URL, a tab and an apple-app-site-association file. The decision is consistent for any input, and
/// its JSON can be read back unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAssociation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let file = try? AppleAppSiteAssociation(parsing: parts[1]) else { return 0 }
    let url = String(decoding: parts[0], as: UTF8.self)
    let decision = file.decision(for: url)
    precondition((decision.outcome == .noMatch) == (decision.reason != nil), "a miss has a reason")
    precondition((decision.rule == nil) == (decision.mergedRule == nil), "a decision has its merged rule")
    let limits = JSONReader.Limits(maximumBytes: .max, maximumDepth: .max)
    let again = try? JSONReader.parse(decision.json.json(), limits: limits, duplicateKeys: .keep)
    precondition(again == decision.json, "the written JSON reads back as the decision")
    guard let app = decision.app else { return 0 }
    let forApp = file.decision(for: url, app: app)
    precondition(forApp.outcome == decision.outcome && forApp.entry == decision.entry && forApp.rule == decision.rule)
    if let applinks = file.applinks, let entry = decision.entry, let rule = decision.rule {
        precondition(applinks.details[entry].ruleList[rule].pointer == decision.pointer, "the rule has this pointer")
        precondition(decision.tried.last?.matches == true, "the deciding rule is the last one tried")
    }
    return 0
}
