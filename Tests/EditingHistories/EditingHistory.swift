/// Generates steps from a seed. Some values differ only in Unicode normalisation.
struct EditingHistory {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 }

    static let environments = ["production", EditingModel.testersEnvironment]
    static let drafts = ["one", "two"]
    static let ids = ["a", "b", "c"]
    /// The owner of the blogger's route, and another owner that differs only in Unicode normalisation.
    static let owners = ["a": "shop", "b": "cafe\u{301}", EditingModel.bloggersRoute: "caf\u{E9}"]

    private static let texts = ["one", "two", "caf\u{E9}", "cafe\u{301}"]
    static let website = "https://pages.example/~"

    /// SplitMix64.
    mutating func number(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    mutating func happens(oneIn times: Int) -> Bool { number(below: times) == 0 }

    private mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

    // MARK: Steps

    /// A step chosen from the current state, so that most steps succeed.
    mutating func step(_ model: EditingModel) -> EditingStep {
        let editor = happens(oneIn: 3) ? one(of: [EditingModel.Editor.blogger, .tester]) : .anyone
        let location = location(editor)
        switch number(below: 20) {
        case 0...5:
            let id = id(editor)
            return .putRoute(id, route(id), location, editor, match(model, location))
        case 6, 7: return .removeRoute(id(editor), location, editor, match(model, location))
        case 8, 9: return .putTable(table(model, location), location, base(model), editor)
        case 10...13:
            return .publish(
                location,
                editor == .tester ? .tester : .anyone,
                match(model, location),
                isOverridden: happens(oneIn: 4)
            )
        case 14: return happens(oneIn: 3) ? .removeDraft(location) : .plan(location, editor)
        case 15: return .plan(location, editor)
        case 16:
            let base = happens(oneIn: 2) ? revision(model) : nil
            return .planTable(table(model, location), location, basedOn: base, editor)
        case 17:
            let who = editor == .tester ? editor : .anyone
            return .publishAgain(
                revision(model),
                environment: location.environment,
                who,
                isOverridden: happens(oneIn: 4)
            )
        case 18: return .saveSettings(hasWebsite: !happens(oneIn: 3))
        default: return happens(oneIn: 2) ? .guardTables(happens(oneIn: 2)) : .prune
        }
    }

    /// Concurrent steps without preconditions (no `If-Match`).
    mutating func burst(_ model: EditingModel) -> [EditingStep] {
        (0..<(2 + number(below: 2))).map { _ in
            let location = location(.anyone)
            switch number(below: 10) {
            case 0...3:
                let id = id(.anyone)
                return .putRoute(id, route(id), location, .anyone, .none)
            case 4: return .removeRoute(id(.anyone), location, .anyone, .none)
            case 5...7: return .publish(location, .anyone, .none, isOverridden: true)
            case 8:
                return .publishAgain(revision(model), environment: location.environment, .anyone, isOverridden: true)
            default: return .saveSettings(hasWebsite: happens(oneIn: 2))
            }
        }
    }

    private mutating func location(_ editor: EditingModel.Editor) -> EditingModel.Location {
        EditingModel.Location(
            environment: editor == .tester ? EditingModel.testersEnvironment : one(of: Self.environments),
            draft: one(of: Self.drafts)
        )
    }

    private mutating func id(_ editor: EditingModel.Editor) -> String {
        editor == .blogger && !happens(oneIn: 3) ? EditingModel.bloggersRoute : one(of: Self.ids)
    }

    /// A revision that exists, existed, or never existed.
    private mutating func revision(_ model: EditingModel) -> Int64 { Int64(1 + number(below: Int(model.newest) + 1)) }

    private mutating func base(_ model: EditingModel) -> EditingStep.Base {
        switch number(below: 5) {
        case 0: .nothing
        case 1, 2: .revision(revision(model))
        default: .kept
        }
    }

    private mutating func match(_ model: EditingModel, _ location: EditingModel.Location) -> EditingStep.Match {
        switch number(below: 6) {
        case 0: .version(model.draft(location).version)
        case 1:
            .version(model.draft(one(of: Array(model.drafts.keys.sorted { "\($0)" < "\($1)" }) + [location])).version)
        default: .none
        }
    }

    mutating func route(_ id: String) -> EditingModel.Bytes {
        let path = happens(oneIn: 2) ? "/\(id)" : "/\(id)/\(one(of: Self.texts))"
        let web = happens(oneIn: 8) ? #","web":"\#(Self.website)""# : ""
        let open = #"{"screen":"\#(one(of: Self.texts))"}"#
        return Array(
            #"{"id":"\#(id)","owner":"\#(Self.owners[id] ?? "")","path":"\#(path)","open":\#(open)\#(web)}"#.utf8
        )
    }

    /// A table derived from the edited one or an older one, with a few changes.
    private mutating func table(_ model: EditingModel, _ location: EditingModel.Location) -> EditingModel.Table {
        var table = model.draft(location).table
        if happens(oneIn: 3), let old = model.revisions[revision(model)]?.table { table = old }
        for _ in 0..<number(below: 3) {
            let id = one(of: Self.ids)
            if happens(oneIn: 3) {
                table.ids.removeAll { $0 == id }
                table.routes[id] = nil
            } else {
                if table.routes[id] == nil { table.ids.append(id) }
                table.routes[id] = route(id)
            }
        }
        if happens(oneIn: 5), table.ids.count > 1 { table.ids.swapAt(0, table.ids.count - 1) }
        if happens(oneIn: 5) {
            let page = Self.website + one(of: ["caf\u{E9}", "cafe\u{301}"])
            table.defaults = happens(oneIn: 2) ? nil : Array(#"{"fallback":{"web":"\#(page)"}}"#.utf8)
        }
        return table
    }
}
