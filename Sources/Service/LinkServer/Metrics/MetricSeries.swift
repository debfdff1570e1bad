import CoreMetrics
import Synchronization

final class MetricCounter: CounterHandler, MetricSeries {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += MetricText.line(name, labels, "\(count.load(ordering: .relaxed))")
    }
}

final class MetricGauge: MeterHandler, RecorderHandler, MetricSeries {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += MetricText.line(name, labels, MetricText.number(value.withLock { $0 }))
    }
}

final class MetricHistogram: RecorderHandler, TimerHandler, MetricSeries {
    /// OpenTelemetry's buckets for the duration of requests, and three smaller ones.
    static let seconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    static let counts = [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

    private struct State {
        /// One count more than there are bounds; not cumulative.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: Upper bounds in ascending order; each is included in its bucket.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let prefix = labels.isEmpty ? "" : labels + ","
        var total: UInt64 = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += count
            text += MetricText.line("\(name)_bucket", "\(prefix)le=\"\(MetricText.number(bound))\"", "\(total)")
        }
        text += MetricText.line("\(name)_sum", labels, MetricText.number(sum))
        text += MetricText.line("\(name)_count", labels, "\(total)")
    }
}
