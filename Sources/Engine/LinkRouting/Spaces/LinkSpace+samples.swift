extension LinkSpace {
    /// A link and a caller of the space, to test routes with.
    struct Sample {
        let text: String
        let link: DeepLink
        let caller: LinkContext
    }

    /// The number of distinct samples to try.
    static let sampleCount = 8

    /// Returns one of several distinct samples; nil when no link is found. The last ones have an empty segment in place
    /// of the rest, so that they only match routes whose rest begins at the same segment or earlier.
    func sample(_ number: Int, _ caller: LinkContext) -> Sample? {
        var parts: [[UInt8]] = []
        for segment in segments {
            let samples = segment.samples
            guard !samples.isEmpty else { return nil }
            parts.append(samples[number % samples.count])
        }
        if hasRest {
            switch number {
            case 0: parts.append(Array("x".utf8))
            case 1: break
            default: parts += [[], Array("x".utf8)]
            }
        }
        var items: [(name: String, value: String)] = []
        for (name, space) in query.sorted(by: { $0.key < $1.key }) {
            switch space.sample(number) {
            case nil: return nil
            case .absent: continue
            case .value(let value): items.append((name.description, value))
            }
        }
        let slash = slashes[number % slashes.count]
        return Self.sample(hosts, number, parts, slash, items, fragment.map { [$0] } ?? [], letterCase, caller)
    }

    /// Returns the first sample in both spaces that is confirmed: a link that both routes seem to match.
    ///
    /// - Parameters:
    ///   - budget: Spends the steps of the search. When it is used up, the result is nil.
    ///   - isConfirmed: Whether the router says that both routes match.
    func firstCommonSample(
        _ other: LinkSpace,
        _ forms: [SegmentForm],
        _ otherForms: [SegmentForm],
        _ apps: [RegisteredApp],
        _ budget: WorkBudget,
        where isConfirmed: (Sample) -> Bool
    ) -> Sample? {
        let facts = facts.intersection(other.facts)
        guard facts.contradictions(apps).isEmpty else { return nil }
        var choices: [[[UInt8]]] = []
        for (form, otherForm) in zip(forms, otherForms) {
            let texts = form.commonTexts(with: otherForm)
            guard !texts.isEmpty else { return nil }
            choices.append(texts)
        }
        let slashes = slashes.filter(other.slashes.contains)
        let query = query.merging(other.query) { $0.intersection($1) }
        guard let slash = slashes.first, !query.values.contains(where: \.isEmpty),
            let caller = facts.caller(apps, budget)
        else { return nil }
        let hosts = commonHosts(with: other)
        let fragments = [fragment, other.fragment].compactMap(\.self)
        for number in 0..<Self.sampleCount {
            let parts =
                choices.map { $0[number % $0.count] } + (hasRest && other.hasRest && number == 1 ? [[0x78]] : [])
            var items: [(name: String, value: String)] = []
            for (name, space) in query.sorted(by: { $0.key < $1.key }) {
                if case .value(let value)? = space.sample(number) { items.append((name.description, value)) }
            }
            let sample = Self.sample(hosts, number, parts, slash, items, fragments, letterCase, caller)
            if let sample, isConfirmed(sample) { return sample }
        }
        return nil
    }

    private static func sample(
        _ hosts: [HostSpace],
        _ number: Int,
        _ parts: [[UInt8]],
        _ slash: Bool,
        _ items: [(name: String, value: String)],
        _ fragments: [FragmentCondition],
        _ letterCase: LetterCase,
        _ caller: LinkContext
    ) -> Sample? {
        guard !hosts.isEmpty else { return nil }
        var text: String
        switch hosts[number % hosts.count] {
        case .scheme(let scheme, let firstSegmentIsHost):
            text = LinkWriter.beginning(
                scheme: scheme,
                host: nil,
                firstSegmentIsHost: firstSegmentIsHost,
                parts,
                slash: slash
            )
        case let space:
            let samples = space.samples
            guard !samples.isEmpty else { return nil }
            text = LinkWriter.beginning(
                scheme: "https",
                host: samples[number / hosts.count % samples.count],
                firstSegmentIsHost: false,
                parts,
                slash: slash
            )
        }
        for (index, item) in items.sorted(by: { $0.name < $1.name }).enumerated() {
            text += (index == 0 ? "?" : "&") + LinkWriter.encoded(item.name.utf8)
            if !item.value.isEmpty { text += "=" + LinkWriter.encoded(item.value.utf8) }
        }
        if !fragments.isEmpty {
            let written = fragments.compactMap { $0.sample(letterCase) }
            guard !written.isEmpty else { return nil }
            text += "#" + written[number % written.count]
        }
        guard let link = try? DeepLink.parse(text) else { return nil }
        return Sample(text: text, link: link, caller: caller)
    }
}

extension FragmentCondition {
    /// A sample fragment in URL form; nil when none is known.
    fileprivate func sample(_ letterCase: LetterCase) -> String? {
        switch self {
        case .equals(let text): return LinkWriter.encoded(text.utf8)
        case .pattern(let pattern):
            var parts: [String] = []
            for form in pattern.forms(letterCase) {
                guard let text = form.samples.first else { return nil }
                parts.append(LinkWriter.encoded(text))
            }
            return "/" + parts.joined(separator: "/")
        }
    }
}
