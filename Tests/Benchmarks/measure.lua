-- Prints what wrk measured as one line of JSON: requests a second, latencies in microseconds, and what went wrong.
function done(summary, latency)
    local errors = summary.errors
    print(string.format(
        '{"rate":%f,"p50":%d,"p99":%d,"failed":%d}',
        summary.requests / (summary.duration / 1e6), latency:percentile(50), latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout
    ))
end
