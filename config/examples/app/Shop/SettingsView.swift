import LinkClient
import LinkRouting
import SwiftUI

/// Shows what the client has and does: for developers.
struct SettingsView: View {
    @State private var links = LinkClientObserver(.shop)

    var body: some View {
        List {
            Text("Table: \(links.state.table.map { "revision \($0.revision) (\($0.origin))" } ?? "none")")
            Text("Reports to deliver: \(links.state.waitingReports)")
            ForEach(links.state.problems, id: \.kind) { problem in
                Text(problem.message)
            }
        }
        .navigationTitle("Settings")
        .task { await links.run() }
    }
}
