package import CoreMetrics
import LinkRouting
import Synchronization

/// Holds all metrics of the process and writes them in Prometheus' text format 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
///
/// A timer and an aggregating recorder are histograms; a timer's unit is seconds. Names are written as given, so they
/// must follow Prometheus' rules: base units, `_total` for counters. A family holds at most ``mostSeries`` combinations
/// of labels. Further ones are dropped and counted, so that no caller can fill the memory.
package final class MetricRegistry: MetricsFactory {
    /// Maximum number of combinations of labels of one family.
    package static let mostSeries = 1_000

    private let families = Mutex<[String: Family]>([:])
    private let dropped = MetricCounter()

    private struct Family {
        let kind: Kind
        var series: [[Label]: any MetricSeries] = [:]
    }

    enum Kind: String {
        case counter, gauge, histogram
    }

    struct Label: Hashable {
        let name: String
        let value: String
    }

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, .counter, dimensions) { MetricCounter() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions) { MetricGauge() }
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return series(label, .gauge, dimensions) { MetricGauge() } }
        return series(label, .histogram, dimensions) { MetricHistogram(bounds: MetricHistogram.counts) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .histogram, dimensions) { MetricHistogram(bounds: MetricHistogram.seconds) }
    }

    // A metric lives as long as the process: one that is created again continues with its value.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the series of these labels; one that is never exported if the name is of another kind or the family is
    /// full.
    private func series<Series: MetricSeries>(
        _ name: String,
        _ kind: Kind,
        _ dimensions: [(String, String)],
        _ make: () -> Series
    ) -> Series {
        assert(DeclaredMetrics.allows(name, dimensions.map(\.0)), "\(name) has other labels than its declaration")
        let labels = dimensions.map { Label(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            if let known = family.series[labels] as? Series { return known }
            let made = make()
            guard family.kind == kind, family.series.count < Self.mostSeries else {
                dropped.increment(by: 1)
                return made
            }
            family.series[labels] = made
            families[name] = family
            return made
        }
    }

    /// Returns all metrics, sorted by name, followed by `further`, whose values are read at this moment.
    package func exposition(_ further: [Reading] = []) -> String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += Self.head(name, family.kind)
            let series = family.series.map { (labels: Self.text($0.key), series: $0.value) }
            for (labels, series) in series.sorted(by: { $0.labels < $1.labels }) {
                series.write(name, labels, to: &text)
            }
        }
        var last = ""
        for reading in further where families[reading.name] == nil {
            assert(DeclaredMetrics.allows(reading.name, reading.labels.map(\.0)), "\(reading.name) is not declared so")
            if reading.name != last { text += Self.head(reading.name, reading.kind) }
            last = reading.name
            let labels = Self.text(reading.labels.map { Label(name: $0.0, value: $0.1) })
            text += "\(reading.name)\(labels.isEmpty ? "" : "{\(labels)}") \(MetricText.number(reading.value))\n"
        }
        text += Self.head("fingerpost_metrics_dropped_series_total", .counter)
        dropped.write("fingerpost_metrics_dropped_series_total", "", to: &text)
        return text
    }

    /// A value that is read on request instead of being held. Readings of the same name must be adjacent.
    package struct Reading: Sendable {
        let name: String
        let kind: Kind
        let labels: [(String, String)]
        let value: Double

        package static func gauge(_ name: String, _ value: Double, _ labels: [(String, String)] = []) -> Reading {
            Reading(name: name, kind: .gauge, labels: labels, value: value)
        }

        package static func counter(_ name: String, _ value: Double, _ labels: [(String, String)] = []) -> Reading {
            Reading(name: name, kind: .counter, labels: labels, value: value)
        }
    }

    private static func head(_ name: String, _ kind: Kind) -> String {
        (DeclaredMetrics.all[name].map { "# HELP \(name) \($0.help)\n" } ?? "") + "# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func text(_ labels: [Label]) -> String {
        labels.map { "\($0.name)=\"\($0.value.escapedForPrometheus)\"" }.joined(separator: ",")
    }
}

/// The values of one combination of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// - Parameter labels: Formatted as `a="b",c="d"`, or empty.
    func write(_ name: String, _ labels: String, to text: inout String)
}

enum MetricText {
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}
