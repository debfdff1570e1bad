// client.js CLIENT VECTORS PUBLIC ADMIN KEY: uses the compiled fingerpost.ts with a server that has the example tenants.
"use strict";
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");

const [client, vectorsFile, publicPort, adminPort, key] = process.argv.slice(2);
const { LinkClient, LinkError } = require(client);
const vectors = JSON.parse(readFileSync(vectorsFile, "utf8"));

async function admin(method, path, body) {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const response = await fetch(`${adminPort}/admin/v1/tenants/${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    assert(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text && JSON.parse(text);
}

/** An answer without what only a server has. A vector has the trace where the suite wants it. */
function comparable(answer) {
    const { id, recorded, environment, revision, warnings, continuation, tenant, trace, traceTruncated, ...rest } = answer;
    return JSON.parse(JSON.stringify(rest));
}

/** The answers of the server's engine, read by the client, are those of the vectors. */
async function resolutions() {
    let count = 0;
    for (const group of vectors.resolutions) {
        if (group.tenant === "local") {
            await admin("POST", "local/apply", { settings: group.settings, table: group.table, removeOthers: true });
        }
        for (const one of group.cases) {
            // A server has a clock of its own.
            if (one.context.now !== undefined) continue;
            const links = new LinkClient({ server: publicPort, tenant: group.tenant, app: one.context.app });
            const answer = await links.resolve(one.link, one.context);
            assert.deepStrictEqual(comparable(answer), comparable(one.answer), `${group.name}: ${one.link}`);
            count += 1;
        }
    }
    return count;
}

async function rejections() {
    const links = new LinkClient({ server: publicPort + "//", tenant: "local", app: "ios" });
    let count = 0;
    for (const one of vectors.links) {
        if (one.rejected === undefined || one.link === undefined) continue;
        const answer = await links.resolve(one.link);
        assert.deepStrictEqual([answer.outcome, answer.reason?.code], ["rejected", one.rejected.code], one.link.slice(0, 100));
        count += 1;
    }
    return count;
}

/** A storage that the client of the next start reads. */
function storage() {
    const items = new Map();
    return { getItem: (key) => items.get(key) ?? null, setItem: async (key, value) => void items.set(key, value) };
}

const decision = { outcome: "matched", action: "open_app", route: { id: "product" }, revision: 1, settingsRevision: 1 };

async function reports() {
    const configuration = { server: publicPort, tenant: "shop", app: "ios", context: { platform: "ios" }, storage: storage() };
    const links = new LinkClient(configuration);
    for (let number = 0; number < 250; number++) await links.report(`yourapp://product/${number}`, decision, "shown");
    await links.report("yourapp://product/1", await links.resolve("yourapp://product/1"), "shown");
    const later = new LinkClient(configuration);
    assert.strictEqual(await later.install(), await links.install());
    await Promise.all([links.deliver(), links.deliver(), later.deliver()]);
    const { events } = await admin("GET", "shop/events?limit=1000");
    const shown = events.filter((event) => event.result === "shown");
    assert.strictEqual(shown.length, 250, "each report is stored once");
    assert(shown.every((event) => event.agreement === "same" && event.app === "ios"));
}

/** A server whose answers the test chooses: [status, body, fields]. */
async function withServer(answers, body) {
    const messages = [];
    const server = createServer((request, response) => {
        let text = "";
        request.on("data", (part) => (text += part));
        request.on("end", () => {
            messages.push(JSON.parse(text));
            const [status, answer, fields] = answers.length > 1 ? answers.shift() : answers[0];
            if (status === 0) return request.socket.destroy();
            if (status === null) return;
            response.writeHead(status, fields ?? {}).end(typeof answer === "function" ? JSON.stringify(answer(messages.at(-1))) : answer);
        });
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const address = `http://127.0.0.1:${server.address().port}`;
    try { await body(new LinkClient({ server: address, tenant: "shop", app: "ios", clientKey: "fp_k", timeoutSeconds: 0.2 }), messages); }
    finally { server.closeAllConnections(); server.close(); }
}

const stored = ({ events }) => ({ results: events.map(({ clientEventId }) => ({ clientEventId, status: "stored" })) });
const problem = (code) => JSON.stringify({ code, detail: "…" });

async function failures() {
    // After a failure, the client tries again by itself, with the same ids.
    await withServer([[0], [503, problem("busy"), { "Retry-After": "1" }], [200, stored]], async (links, messages) => {
        await links.report("yourapp://product/1", decision, "failed", "no_such_screen");
        await links.deliver();
        while (messages.length < 3) await new Promise((done) => setTimeout(done, 20));
        const ids = messages.map(({ events }) => events[0].clientEventId);
        assert.strictEqual(new Set(ids).size, 1);
        assert.strictEqual(messages[2].events[0].reason, "no_such_screen");
    });
    // A message that the server refuses is halved, and only the wrong report is dropped.
    const refusing = (message) => (message.events.some(({ url }) => url === "wrong") ? null : stored(message));
    await withServer([[400, problem("invalid_request")], [400, problem("invalid_request")], [400, problem("invalid_request")],
        [200, refusing]], async (links, messages) => {
        for (const url of ["wrong", "a", "b", "c", "d"]) await links.report(url, decision, "shown");
        await links.deliver();
        assert.deepStrictEqual(messages.map(({ events }) => events.length), [5, 2, 1, 4]);
    });
    for (const [answer, status, code] of [[[0], 0], [[null], 0], [[502, "<html>"], 0], [[401, problem("missing_key")], 401, "missing_key"],
        [[200, JSON.stringify({ outcome: "matched", tenant: "other" })], 200, "other_tenant"]]) {
        await withServer([answer], async (links) => {
            await assert.rejects(links.resolve("yourapp://x"), (error) => error instanceof LinkError && error.status === status && error.code === code);
        });
    }
    await withServer([[200, JSON.stringify({ outcome: "later", action: "fly", tenant: "shop" })]], async (links) => {
        const answer = await links.resolve("yourapp://x");
        assert.deepStrictEqual([answer.outcome, answer.action], ["fallback", "open_web"]);
    });
    assert.throws(() => new LinkClient({ server: "go.example.com", tenant: "shop", app: "ios" }), /write an address/);
}

async function installs() {
    const found = { link: "https://go.example.com/s/a", method: "referrer", answer: { outcome: "matched", action: "fly" } };
    await withServer([[503, problem("log_unavailable")], [200, () => found], [404, problem("x")], [404, problem("unknown_tenant")]],
        async (links, messages) => {
            assert.strictEqual(await links.installed("utm_source=google-play&utm_medium=organic"), null);
            await assert.rejects(links.installed("utm_campaign=a&fp=T-_1"), (error) => error.status === 503);
            const answer = await links.installed("utm_campaign=a&fp=T-_1");
            assert.deepStrictEqual([answer.link, answer.method, answer.answer.action], [found.link, "referrer", "open_web"]);
            assert.deepStrictEqual(messages[0], messages[1]);
            assert.deepStrictEqual(messages[0], { tenant: "shop", app: "ios", install: await links.install(), token: "T-_1" });
            assert.strictEqual(await links.pasted(" no link "), null);
            assert.strictEqual(messages[2].link, "no link");
            await assert.rejects(links.pasted("https://go.example.com/"), (error) => error.code === "unknown_tenant");
        });
    const links = new LinkClient({ server: publicPort, tenant: "shop", app: "ios" });
    assert.strictEqual(await links.installed("fp=wrong"), null);
    const pasted = await links.pasted("https://go.yourappdomain.com/product/7");
    assert.deepStrictEqual([pasted.method, pasted.answer.route?.id], ["pasted", "product"]);
}

(async () => {
    const cases = (await resolutions()) + (await rejections());
    assert(cases >= 200, `only ${cases} cases`);
    console.log(`node ${process.version}: ${cases} answers are those of the vectors`);
    await reports();
    await failures();
    await installs();
    console.log("reports, failures, installs: as documented");
})().catch((error) => { console.error(error); process.exit(1); });
