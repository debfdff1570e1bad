/*
 * Links of an app: asks a Fingerpost server where a link leads, reports what the app decided without it, and gets the link
 * that an install came from. One file without dependencies for React Native, Expo, browsers and node 18 or newer: copy it
 * into your project. docs/app.md of Fingerpost has examples, and docs/api.md describes the members.
 */

/** The facts about the app and its user. Omitted ones are unknown, but `installed` is true. */
export interface Context {
    platform?: "ios" | "android" | "web" | "macos" | "windows" | "linux" | "other";
    device?: string; osVersion?: string; appVersion?: string; appBuild?: number;
    installed?: boolean; authenticated?: boolean; inAppBrowser?: boolean;
    locale?: string[]; country?: string; traits?: Record<string, string | string[]>;
    /** Keeps the user in one group of a rollout or an experiment. */
    stickyKey?: string;
}

const outcomes = ["matched", "fallback", "unmatched", "rejected"] as const;
const actions = ["open_app", "open_web", "open_store", "update_app", "sign_in", "block"] as const;
type Arguments = Record<string, unknown>;
export type Result = "shown" | "failed";
export interface Destination {
    screen?: string; arguments?: Arguments;
    stack?: { screen: string; arguments?: Arguments }[]; // From the bottom up.
    uri?: string; web?: string; store?: string; data?: unknown; campaign?: string; fallbacks?: string[];
}

/** An answer of the server, or of an engine in the app: then without `id`. */
export interface Answer {
    id?: string; recorded?: boolean;
    outcome: (typeof outcomes)[number];
    action?: (typeof actions)[number] | null;
    tenant?: string | null; environment?: string; app?: string;
    /** Of the table and the settings. */
    revision?: number; settingsRevision?: number;
    route?: { id: string; pattern?: string } | null;
    parameters?: Arguments; destination?: Destination | null;
    reason?: { code?: string; message: string };
    /** For a `sign_in`: `resume` takes the token after it. */
    continuation?: { token: string; expiresAt: string };
}

export interface Installed { link: string; answer: Answer; method: "referrer" | "pasted" }

/** `AsyncStorage` of React Native, or `localStorage`. Only one client may use it at a time. */
export interface Storage {
    getItem(key: string): string | null | Promise<string | null>;
    setItem(key: string, value: string): void | Promise<void>;
}

export interface Configuration {
    /** The public address of the server, such as `https://go.example.com`. */
    server: string;
    tenant: string; environment?: string;
    /** The id of this app in the tenant's settings. */
    app: string;
    /** A key with the scope `resolve`, for a tenant with `clientKey: required`. Everybody can read it. */
    clientKey?: string;
    /** The facts that hold for every link. */
    context?: Context;
    /** Keeps the install's id and the unsent reports; without it, they end with the app. */
    storage?: Storage;
    timeoutSeconds?: number;
}

/** The server does not answer (`status` is 0), or refuses the request; the message says why. */
export class LinkError extends Error {
    status: number; code?: string; retryAfter?: number;

    constructor(message: string, status: number, code?: string, retryAfter?: number) {
        super(message);
        [this.status, this.code, this.retryAfter] = [status, code, retryAfter];
    }
}

type Report = { clientEventId: string; occurredAt: string };
type State = { install: string; reports: Report[] };

// What every runtime has: declared here, so that the file needs neither the types of browsers nor those of node.
type Response = { status: number; headers: { get(name: string): string | null }; text(): Promise<string> };
declare const fetch: (url: string, request: object) => Promise<Response>;
declare const AbortController: new () => { signal: unknown; abort(): void };
declare function setTimeout(work: () => void, milliseconds: number): unknown;
declare function clearTimeout(timer: unknown): void;

export class LinkClient {
    private readonly configuration: Configuration; private readonly server: string; private readonly key: string;
    private loaded?: Promise<State>; private delivery?: Promise<void>; private timer?: unknown; private failures = 0;

    constructor(configuration: Configuration) {
        this.configuration = configuration;
        this.key = `fingerpost.${configuration.tenant}.${configuration.app}`;
        this.server = configuration.server.replace(/\/+$/, "");
        if (!/^https?:\/\/[^/?#@]+$/.test(this.server)) {
            throw new TypeError(`server is '${configuration.server}'; write an address such as https://go.example.com`);
        }
    }

    /** Asks where a link leads. The server records the link. Throws a `LinkError`. */
    resolve(url: string, context?: Context): Promise<Answer> { return this.ask({ url }, context); }

    /** Continues a link after a sign-in, with the token of its answer. */
    resume(token: string, context?: Context): Promise<Answer> { return this.ask({ continuation: token }, context); }

    /** The link of an install from Google Play, by the text of the Install Referrer API; null if there is none. */
    async installed(referrer: string): Promise<Installed | null> {
        const token = referrer.split("&").find((item) => item.startsWith("fp="))?.slice(3);
        return token ? this.claim({ token }) : null;
    }

    /** The link of an install, by the text that the user pasted; null if it is no link of the tenant. */
    pasted(link: string): Promise<Installed | null> { return this.claim({ link: link.trim() }); }

    /** The id of this install, by which the tenant finds and erases its data. */
    async install(): Promise<string> { return (await this.state()).install; }

    /**
     * Reports what the app did with a link that it decided itself, for example while it was offline; a failure with one
     * word, such as `no_such_screen`. At most 1,000 reports wait. The server has recorded its own answers: they need none.
     */
    async report(url: string, answer: Answer, result: Result, reason?: string, context?: Context): Promise<void> {
        const state = await this.state();
        if (answer.id !== undefined || state.reports.length >= 1000) return;
        const { outcome, action, revision, settingsRevision } = answer;
        const decision = { outcome, action, route: answer.route?.id, revision, settingsRevision, result, reason };
        const facts = { url, context: { ...this.configuration.context, ...context }, ...decision };
        state.reports.push({ clientEventId: randomID(), occurredAt: new Date().toISOString(), ...facts });
        await this.save(state);
        this.deliverIn(1);
    }

    /** Sends the waiting reports now. After a failure, the client tries again by itself, later and later. */
    deliver(): Promise<void> {
        clearTimeout(this.timer);
        this.timer = undefined;
        return (this.delivery ??= this.deliverAll().finally(() => { this.delivery = undefined; }));
    }

    private async deliverAll(): Promise<void> {
        const { tenant, app, environment } = this.configuration;
        const state = await this.state();
        for (let most = 100; ; ) {
            // The server knows an event again for 30 days.
            const oldest = Date.now() - 29 * 86_400_000;
            state.reports = state.reports.filter((report) => Date.parse(report.occurredAt) > oldest);
            const batch = firstOf(state.reports, most);
            if (batch.length === 0) return;
            let done: string[] = [];
            try {
                const message = { tenant, app, environment, install: state.install, engineVersion: "1.0", events: batch };
                const { results } = (await this.post("/_fp/events", message)) as { results: Report[] };
                done = results.map((result) => result.clientEventId);
                if (!batch.some((report) => done.includes(report.clientEventId))) throw new LinkError("no result", 0);
                this.failures = 0;
            } catch (error) {
                const { status, retryAfter } = error instanceof LinkError ? error : new LinkError(String(error), 0);
                if (![400, 413, 415, 422].includes(status)) {
                    this.failures += 1;
                    return this.deliverIn(retryAfter ?? Math.min(2 ** this.failures, 600) * (1 + Math.random() / 5));
                }
                // One report is wrong. Halving finds and drops it, so that it does not hold up the others.
                if (batch.length === 1) done = batch.map((report) => report.clientEventId);
                most = batch.length === 1 ? 100 : Math.floor(batch.length / 2);
            }
            // Reports may have been added meanwhile.
            state.reports = state.reports.filter((report) => !done.includes(report.clientEventId));
            await this.save(state);
        }
    }

    private deliverIn(seconds: number): void {
        this.timer ??= setTimeout(() => void this.deliver(), seconds * 1000);
        // Reports that wait do not keep a process of node alive.
        (this.timer as { unref?(): void }).unref?.();
    }

    private async ask(subject: object, context?: Context): Promise<Answer> {
        const { app, tenant, environment } = this.configuration;
        const facts = { ...this.configuration.context, ...context, app };
        const answer = known((await this.post("/resolve", { ...subject, environment, context: facts })) as Answer);
        if (answer.tenant == null || answer.tenant === tenant) return answer;
        throw new LinkError(`the link belongs to '${answer.tenant}', another tenant of the server`, 200, "other_tenant");
    }

    private async claim(subject: object): Promise<Installed | null> {
        const { tenant, app, environment } = this.configuration;
        const message = { tenant, app, environment, install: await this.install(), ...subject };
        try {
            const found = (await this.post("/_fp/installs", message)) as Installed;
            return found.link && found.answer ? { ...found, answer: known(found.answer) } : null;
        } catch (error) {
            // The other codes of this status are mistakes of the configuration.
            const isWrong = ["not_found", "unknown_tenant", "unknown_host"].includes((error as LinkError).code ?? "");
            if ((error as LinkError).status === 404 && !isWrong) return null;
            throw error;
        }
    }

    private async post(path: string, message: object): Promise<unknown> {
        const { clientKey, timeoutSeconds = 15 } = this.configuration;
        const headers = { "Content-Type": "application/json", ...(clientKey && { Authorization: `Bearer ${clientKey}` }) };
        const controller = new AbortController();
        const timer = setTimeout(() => controller.abort(), timeoutSeconds * 1000);
        try {
            const body = JSON.stringify(message);
            const response = await fetch(this.server + path, { method: "POST", headers, body, signal: controller.signal });
            const answer = JSON.parse(await response.text());
            if (response.status === 200) return answer;
            const wait = Number(response.headers.get("Retry-After")) || undefined;
            throw new LinkError(`${response.status} ${answer.code}: ${answer.detail}`, response.status, answer.code, wait);
        } catch (error) {
            throw error instanceof LinkError ? error : new LinkError(`${this.server} does not answer: ${error}`, 0);
        } finally {
            clearTimeout(timer);
        }
    }

    private state(): Promise<State> { return (this.loaded ??= this.load()); }

    private async load(): Promise<State> {
        try {
            const stored = JSON.parse((await this.configuration.storage?.getItem(this.key)) ?? "null");
            if (typeof stored?.install === "string" && Array.isArray(stored.reports)) return stored;
        } catch { /* A damaged storage begins anew. */ }
        const state = { install: randomID(), reports: [] };
        return this.save(state).then(() => state);
    }

    private async save(state: State): Promise<void> {
        // Without room, the reports stay in memory.
        try { await this.configuration.storage?.setItem(this.key, JSON.stringify(state)); } catch { return; }
    }
}

/** Unknown values come from newer servers, and have a documented meaning. */
function known(answer: Answer): Answer {
    const outcome = outcomes.includes(answer.outcome) ? answer.outcome : "fallback";
    return { ...answer, outcome, action: !answer.action || actions.includes(answer.action) ? answer.action : "open_web" };
}

/** The first reports that fit into one message of 256 KiB: a character takes at most three bytes. */
function firstOf(reports: Report[], most: number): Report[] {
    let room = 80_000;
    return reports.slice(0, most).filter((report, index) => (room -= JSON.stringify(report).length) > 0 || index === 0);
}

/** Unique, but not secret. */
function randomID(): string {
    return Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join("");
}
