-- Prints wrk's results as one line of JSON: requests per second, latencies in microseconds, and the number of errors.
function done(summary, latency)
    local errors = summary.errors
    print(string.format(
        '{"rate":%f,"p50":%d,"p99":%d,"failed":%d}',
        summary.requests / (summary.duration / 1e6), latency:percentile(50), latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout
    ))
end
