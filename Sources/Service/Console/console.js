// Everything works without this script. It replaces the page's content after a form, shows times in the reader's zone, copies,
// reads a stream of events, and moves to the first field with "/".
(() => {
  const parser = new DOMParser();

  function dress(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (isNaN(date)) continue;
      time.title = date.toISOString().replace("T", " ").replace("Z", " UTC");
      time.textContent = date.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});
    }
    for (const field of root.querySelectorAll("input[name=zone]")) {
      if (!field.value) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
    }
    for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
    for (const list of root.querySelectorAll("[data-stream]")) read(list);
  }

  function show(html, url, isNew) {
    const page = parser.parseFromString(html, "text/html");
    document.title = page.title;
    for (const name of ["header", "main"]) {
      const part = page.querySelector(name);
      if (part) document.querySelector(name).replaceWith(part);
    }
    if (isNew) history.pushState(null, "", url);
    const main = document.querySelector("main");
    dress(main);
    const target = main.querySelector("[role=alert], [autofocus], h1");
    if (!target) return;
    if (!target.matches("input, select, textarea, button")) target.tabIndex = -1;
    target.focus();
    if (target.matches("[role=alert]")) target.scrollIntoView({block: "center"});
  }

  async function send(form, button) {
    const fields = new URLSearchParams(new FormData(form, button));
    const url = new URL((button && button.getAttribute("formaction")) || form.action);
    const isPost = form.method === "post";
    if (!isPost) {
      for (const name of [...fields.keys()]) if (fields.get(name) === "") fields.delete(name);
      url.search = fields;
    }
    const main = document.querySelector("main");
    main.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, isPost ? {method: "POST", body: fields} : {});
      if (!(answer.headers.get("content-type") || "").startsWith("text/html")) return location.assign(answer.url);
      show(await answer.text(), answer.url, true);
    } catch {
      await lost(isPost);
    } finally {
      main.removeAttribute("aria-busy");
    }
  }

  // After a lost answer nobody knows whether the change was made, so the page is read again until the server answers.
  async function lost(isPost) {
    say("The connection was lost. The page is shown again when the server answers.");
    for (;;) {
      await new Promise((done) => setTimeout(done, 1000));
      try {
        const answer = await fetch(location.href);
        if (answer.status >= 500) continue;
        show(await answer.text(), location.href, false);
        if (isPost) say("The answer to the last change was lost. This page shows what the server has now.");
        return;
      } catch { /* not yet */ }
    }
  }

  function say(text) {
    const alert = document.createElement("p");
    alert.className = "mistake";
    alert.setAttribute("role", "alert");
    alert.textContent = text;
    document.querySelector("main").prepend(alert);
  }

  // The server sends rows as HTML, each as one event.
  function read(list) {
    const source = new EventSource(list.dataset.stream);
    source.onmessage = (event) => {
      if (!list.isConnected) return source.close();
      const rows = parser.parseFromString(`<table><tbody>${event.data}</tbody></table>`, "text/html").querySelectorAll("tr");
      list.prepend(...rows);
      dress(list);
      while (list.children.length > 100) list.lastElementChild.remove();
    };
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const isHere = new URL(form.action).pathname.startsWith("/console/");
    if (event.defaultPrevented || !isHere || !form.closest("main") || form.enctype === "multipart/form-data") return;
    event.preventDefault();
    send(form, event.submitter);
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-send]")) event.target.form.requestSubmit();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.querySelector("main [data-first], main input:not([type=hidden])");
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  addEventListener("popstate", () => location.reload());
  dress(document);
})();
