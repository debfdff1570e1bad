public import LinkRouting

extension AssetLinks {
    /// Returns a short verdict for each app that the file names, in the order of the file: `app`, `decision`, `reason`
    /// and `pointer`. The apps share the steps of one decision. Each needs a pass over the file, so a large file has
    /// verdicts for its first apps only.
    public func verdicts(for url: String, domain: String? = nil) -> [JSONNode] {
        var seen: Set<String> = []
        let named = statements.compactMap(\.packageName).filter { seen.insert($0).inserted }
        let apps = named.prefix(root.maximumVerdicts)
        return apps.map {
            decision(for: url, package: $0, domain: domain, within: .decision(sharedBy: apps.count)).json.verdict
        }
    }
}
