"use strict";
// The page: a list of the races, and for the chosen one its timeline, stacks and sources. What comes from the program
// is only ever set as text.
const { report, headlines, sources, systemFolders, doubt } = JSON.parse(document.getElementById("data").textContent);
const races = report.races;
// A file of another tool or version may have anything where we expect a list of objects with texts in them.
function tidy(value, key) {
    if (/^(stack|free_stack|threads|mutexes|sync)$/.test(key))
        value = (Array.isArray(value) ? value : []).filter((x) => x && typeof x === "object" && !Array.isArray(x));
    if (/^(file|function|module|name|thread|object|created_by|access|what|mutex)$/.test(key) && typeof value !== "string" && typeof value !== "object")
        return String(value);
    if (value && typeof value === "object")
        for (const k of Object.keys(value))
            value[k] = tidy(value[k], k);
    return value;
}
races.forEach((race) => tidy(race, ""));
const byId = (id) => document.getElementById(id);

function add(parent, children) {
    for (const child of children.flat())
        if (child !== null && child !== undefined && child !== "")
            parent.append(child);
    return parent;
}
function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
        if (value !== false && value !== null)
            e.setAttribute(name, value === true ? "" : value);
    return add(e, children);
}
function svg(tag, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {}))
        e.setAttribute(name, value);
    return add(e, children);
}

/* --- words --- */

const base = (path) => path.slice(path.lastIndexOf("/") + 1);
const count = (n, word) => n + " " + word + (n === 1 ? "" : "s");
const threadNamed = (race, id) => (race.threads || []).find((t) => t.thread === id);
function threadWords(race, id) {
    if (!id)
        return "a thread that is not known any more";
    const t = threadNamed(race, id);
    return (id === "main" ? "main thread" : "thread " + id) + (t && t.name && id !== "main" ? " \u2018" + t.name + "\u2019" : "");
}
function lockWords(race, name) {
    const m = (race.mutexes || []).find((x) => x.mutex === name);
    return m && m.name ? name + " (" + m.name + ")" : name;
}
function heldWords(race, access) {
    if (!access.held)
        return "the locks it held are not known any more";
    if (access.held.length === 0)
        return "no lock held";
    return "holding " + access.held.map((h) => lockWords(race, h.mutex) + (h.mode === "read" ? " for reading" : "")).join(", ") + (access.held_more ? " and more" : "");
}
function memoryWords(race) {
    const l = race.location || {};
    if (l.kind === "global" && l.name)
        return l.name;
    if (l.kind === "heap")
        return "heap block of " + count(l.size, "byte");
    if (l.kind === "descriptor")
        return "file descriptor " + l.descriptor;
    return { stack: "stack of " + threadWords(race, l.thread), tls: "thread-local memory", mapped: "mapped memory", global: "global variable" }[l.kind] || "memory";
}
const isOwn = (f) => f.file && !systemFolders.some((folder) => (f.source || f.file).startsWith(folder));
function placeOf(access) {
    const frames = access.stack || [];
    return frames.find(isOwn) || frames.find((f) => f.file) || frames[0];
}
const placeWords = (f) => (f && f.file ? base(f.file) + (f.line ? ":" + f.line : "") : f && f.module ? base(f.module) + "+" + f.offset : "?");

/* --- stacks and sources --- */

function sourceOf(frame) {
    const s = frame.file && sources[frame.file + ":" + frame.line];
    if (!s)
        return null;
    const pre = el("pre", { class: "source", hidden: true, tabindex: "-1" });
    s.lines.forEach((line, i) =>
        pre.append(el("span", { class: s.from + i === frame.line ? "hit" : null }, el("i", {}, String(s.from + i)), line || " ")));
    return pre;
}
function frameItem(frame, number, open) {
    const place = frame.file ? frame.file + (frame.line ? ":" + frame.line : "") : frame.module ? base(frame.module) + "+" + frame.offset : "";
    const words = el("span", { class: "f" }, frame.function || "?", frame.inlined ? " (inlined)" : "", el("span", { class: "p" }, place));
    const source = sourceOf(frame);
    if (!source)
        return el("li", {}, el("div", { class: "frame" }, el("span", { class: "n" }, "#" + number), words));
    const button = el("button", { class: "frame", type: "button", "aria-expanded": "false", title: "Show the source" },
        el("span", { class: "n" }, "#" + number), words, el("span", { class: "twist", "aria-hidden": "true" }, "\u203a"));
    const show = (on) => {
        source.hidden = !on;
        button.setAttribute("aria-expanded", String(on));
    };
    button.addEventListener("click", () => show(source.hidden));
    show(open);
    return el("li", {}, button, source);
}
function stackList(stack, openFirst) {
    if (!stack || stack.length === 0)
        return el("p", { class: "empty" }, "The stack is not known any more: the thread\u2019s history was overwritten (history_size, 0 to 7, says how much is kept).");
    const hasSource = (f) => f.file && sources[f.file + ":" + f.line], own = stack.findIndex((f) => isOwn(f) && hasSource(f));
    const chosen = !openFirst ? -1 : own >= 0 ? own : stack.findIndex(hasSource);
    let number = 0;
    const list = el("ol", { class: "stack" }, stack.map((f, i) =>
        f.mark ? el("li", { class: "empty" }, f.function) : frameItem(f, number++, i === chosen)));
    if (stack[stack.length - 1].cut)
        list.append(el("li", { class: "empty" }, "The stack goes on."));
    return list;
}
function accessCard(race, access, side, title) {
    const card = el("section", { class: "card access " + side },
        el("header", {}, el("div", {}, el("b", {}, title + ": " + access.access), (access.size > 0 ? " of " + count(access.size, "byte") : "") + " by " + threadWords(race, access.thread)),
            el("p", {}, access.address + ", " + heldWords(race, access))),
        stackList(access.stack, true));
    if (access.after_release)
        card.append(el("p", { class: "empty" }, "It came after the thread had released " + lockWords(race, access.after_release.mutex) + ":"), stackList(access.after_release.stack, true));
    return card;
}
const smallCard = (text, stack) => el("div", { class: "card other" }, el("p", {}, text), stack && stack.length ? stackList(stack, false) : "");

function background(race) {
    const cards = [], l = race.location || {};
    if (l.kind === "heap") {
        cards.push(smallCard("The block of " + count(l.size, "byte") + " at " + l.address + " was allocated by " + threadWords(race, l.thread), l.stack));
        if (l.free_stack)
            cards.push(smallCard("It was freed" + (l.freed_by ? " by " + threadWords(race, l.freed_by) : ""), l.free_stack));
    } else if (l.kind === "descriptor" && l.stack && l.stack.length)
        cards.push(smallCard("File descriptor " + l.descriptor + " was opened by " + threadWords(race, l.thread), l.stack));
    else if (l.kind === "global")
        cards.push(smallCard("Global " + (l.name || "variable") + ", " + count(l.size, "byte") + " at " + l.address + (l.module ? ", in " + base(l.module) : "")));
    for (const t of race.threads || [])
        if (t.thread !== "main")
            cards.push(smallCard("Thread " + t.thread + (t.name ? " \u2018" + t.name + "\u2019" : "") + " (" + (t.running ? "running" : "finished") + ")" +
                (t.created_by ? " was created by " + threadWords(race, t.created_by) : ""), t.stack));
    for (const m of race.mutexes || [])
        cards.push(smallCard("Mutex " + lockWords(race, m.mutex) + " at " + m.address + (m.stack && m.stack.length ? ", created here" : ""), m.stack));
    return cards;
}

/* --- the timeline: a lane a thread, time from left to right --- */

// The lanes, creators before those they created; the two of the race are always among them.
function lanesOf(race) {
    return [...new Set([race.first.thread, race.second.thread].flatMap((id) => ancestors(race, id).reverse()))];
}
const number = (id) => (id === "main" ? 0 : Number(id.slice(1)));
function ancestors(race, id) {
    const path = [];
    for (; id && !path.includes(id); id = (threadNamed(race, id) || {}).created_by)
        path.push(id);
    return path;
}
// The creation after which the two threads are on their own: the earlier one of those in which their paths part.
function parting(race) {
    const a = ancestors(race, race.first.thread), b = ancestors(race, race.second.thread);
    const common = a.find((id) => b.includes(id));
    if (common === undefined)
        return null;
    const children = [a[a.indexOf(common) - 1], b[b.indexOf(common) - 1]].filter((id) => id !== undefined);
    return children.sort((x, y) => number(x) - number(y))[0] || null;
}
function eventsOf(race, lanes, apart) {
    const events = [];
    lanes.filter((id) => lanes.includes((threadNamed(race, id) || {}).created_by)).sort((x, y) => number(x) - number(y))
        .forEach((id) => events.push({ type: "create", lane: threadNamed(race, id).created_by, to: id, parting: id === apart }));
    const placeless = (s) => s.kind === "kernel" && !s.object && !s.reached && !(s.stack || []).length; // says nothing to a reader
    const syncs = (race.sync || []).filter((s) => s.thread && !placeless(s) && !(s.kind === "thread" && events.some((e) => e.to === s.object)));
    const of = (side, position) => syncs.filter((s) => (s.side ? s.side === side && s.position === position : s.thread === race[side].thread && position === (side === "first" ? "after" : "before")));
    const sync = (s) => events.push({ type: "sync", lane: s.thread, sync: s });
    // of many, those next to the accesses, and the last one that the other thread knew of
    const before = of("first", "before"), known = before.filter((s) => s.reached).slice(-1)[0];
    before.filter((s, i) => s === known || i === before.length - 1).forEach(sync);
    if (race.first.thread)
        events.push({ type: "access", lane: race.first.thread, access: race.first, number: 1 });
    of("first", "after").slice(0, 3).forEach(sync);
    of("second", "before").slice(-3).forEach(sync);
    if (race.second.thread)
        events.push({ type: "access", lane: race.second.thread, access: race.second, number: 2 });
    return events;
}
function syncWords(race, s) {
    const words = { mutex: { release: "unlock", acquire: "lock" }, thread: { create: "create", join: "join" }, semaphore: { release: "post", acquire: "wait" }, barrier: { release: "arrive", acquire: "leave" }, kernel: { release: "to the kernel", acquire: "from the kernel" } };
    const object = s.mutex ? lockWords(race, s.mutex) : s.object || (s.kind === "kernel" ? "" : s.address) || ""; // the kernel's addresses are not the program's
    return (((words[s.kind] || {})[s.what] || s.what) + " " + object).trim();
}
const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "\u2026" : text);

function timeline(race) {
    const lanes = lanesOf(race), apart = parting(race), events = eventsOf(race, lanes, apart);
    const left = 132, step = 112, top = 46, gap = 92;
    const width = left + Math.max(4, events.length + 1) * step, height = top + (lanes.length - 1) * gap + 22 + 66;
    const x = (i) => left + 50 + i * step, y = (lane) => top + 22 + lanes.indexOf(lane) * gap;
    const at = (f) => events.findIndex(f);
    const first = at((e) => e.number === 1), second = at((e) => e.number === 2);
    const bottom = top + (lanes.length - 1) * gap + 22;
    const drawing = svg("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "img" },
        svg("title", {}, "Timeline: " + headlines[races.indexOf(race)]),
        svg("defs", {}, svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
            svg("path", { d: "M0 0L8 4L0 8z", class: "edge-head" }))));
    const text = (px, py, cls, words, anchor, full) =>
        drawing.append(svg("text", { x: px, y: py, class: cls, "text-anchor": anchor || "middle" }, full ? svg("title", {}, full) : "", words));
    const line = (x1, y1, x2, y2, cls, more) => drawing.append(svg("line", { x1, y1, x2, y2, class: cls, ...more }));

    // the last point that both have behind them: what the second thread knew of the first, or the creation where they part
    const reached = events.reduce((last, e, i) => (e.sync && e.sync.side === "first" && e.sync.reached ? i : last), -1);
    const ancestor = reached >= 0 ? reached : at((e) => e.parting);
    if (ancestor >= 0) {
        const from = x(ancestor);
        drawing.append(svg("rect", { x: from, y: 8, width: width - from - 6, height: bottom + 38, rx: 6, class: "zone" }));
        text(width - 14, 23, "zone-text", "from here on nothing orders the two", "end");
        line(from, 8, from, bottom + 46, "ancestor");
        text(from, bottom + 59, "ancestor-text", "last common point", "middle", "The last event known to come before both accesses");
    }
    // lanes
    for (const id of lanes) {
        const created = at((e) => e.type === "create" && e.to === id), t = threadNamed(race, id);
        const start = created >= 0 ? x(created) + 34 : left;
        line(start, y(id), width - 14, y(id), "lane");
        text(14, y(id) - 2, "label", id === "main" ? "main thread" : "thread " + id, "start");
        text(14, y(id) + 13, "minor", short(t && t.name && id !== "main" ? t.name : t && t.created_by && created < 0 ? "created by " + t.created_by : "", 18), "start", t && t.name);
    }
    // locks held during an access
    for (const i of [first, second].filter((n) => n >= 0)) {
        const e = events[i], held = e.access.held || [];
        if (held.length === 0)
            continue;
        const words = held.map((h) => lockWords(race, h.mutex) + (h.mode === "read" ? " (r)" : "")).join(", ");
        drawing.append(svg("rect", { x: x(i) - 46, y: y(e.lane) - 15, width: 92, height: 30, rx: 15, class: "held" }));
        const aside = i === second && first >= 0 && y(events[first].lane) < y(e.lane);
        text(x(i) - (aside ? 2 : 0), y(e.lane) - 21, "held-text", short("holds " + words, 22), aside ? "start" : "middle", "holds " + words);
    }
    // creations, and what released something to whoever acquired it
    events.forEach((e, i) => {
        if (e.type === "create") {
            line(x(i), y(e.lane), x(i) + 33, y(e.to) + (y(e.to) > y(e.lane) ? -3 : 3), "edge", { "marker-end": "url(#head)" });
            drawing.append(svg("circle", { cx: x(i), cy: y(e.lane), r: 4, class: "dot solid" }));
            text(x(i) + 8, y(e.lane) - 9, "minor", "creates " + e.to, "start");
        } else if (e.type === "sync") {
            const s = e.sync, frame = placeOf(s), other = race[e.lane === race.first.thread ? "second" : "first"].thread;
            const under = lanes.indexOf(other) < lanes.indexOf(e.lane); // away from the arrows
            drawing.append(svg("circle", { cx: x(i), cy: y(e.lane), r: 5, class: "dot" + (s.what === "release" || s.what === "create" ? " solid" : /relaxed/.test(s.what) ? " relaxed" : "") },
                svg("title", {}, syncWords(race, s) + (frame ? " at " + placeWords(frame) : ""))));
            text(x(i), y(e.lane) + (under ? 19 : -24), "minor", short(syncWords(race, s), 19), "middle", syncWords(race, s));
            text(x(i), y(e.lane) + (under ? 32 : -11), "minor", short(frame && frame.file ? placeWords(frame) : "", 17));
            if (s.side === "first" && s.reached) {
                let to = at((o) => o.sync && o.sync.side === "second" && o.sync.address === s.address && o.sync.what === "acquire");
                to = to >= 0 ? to : second;
                if (to > i && events[to].lane !== e.lane) {
                    const down = y(events[to].lane) > y(e.lane) ? 1 : -1, back = to === second ? 26 : 0;
                    line(x(i), y(e.lane), x(to) - back, y(events[to].lane) - 8 * down, "edge", { "marker-end": "url(#head)" });
                }
            }
        }
    });
    // the order that is missing, then the accesses on top of everything
    if (first >= 0 && second >= 0 && events[first].lane !== events[second].lane)
        line(x(first), y(events[first].lane), x(second), y(events[second].lane), "missing");
    for (const i of [first, second].filter((n) => n >= 0)) {
        const e = events[i], place = placeOf(e.access);
        drawing.append(svg("circle", { cx: x(i), cy: y(e.lane), r: 12, class: "access-" + e.number }));
        drawing.append(svg("text", { x: x(i), y: y(e.lane) + 4, class: "access-text" }, /write/.test(e.access.access) ? "W" : e.access.access === "free" ? "F" : "R"));
        const other = events[i === first ? second : first], below = other && y(other.lane) > y(e.lane); // keep clear of the line between the two
        const [shift, anchor] = !below ? [0, "middle"] : i === first ? [10, "end"] : [-10, "start"];
        text(x(i) + shift, y(e.lane) + 29, "label", short(placeWords(place), 20), anchor, place && place.file);
        text(x(i) + shift, y(e.lane) + 43, "minor", short((place && place.function) || "", 22), anchor, place && place.function);
    }
    return el("div", { class: "card timeline", tabindex: "0", "aria-label": "Timeline" }, drawing);
}

/* --- the races --- */

function article(race, i) {
    const tags = [race.kind, (race.location || {}).kind || "unknown", "fingerprint " + race.fingerprint];
    if (race.times > 1)
        tags.push("found " + race.times + " times");
    return el("article", { id: "race-" + i, "data-fingerprint": race.fingerprint, hidden: true },
        el("h2", { tabindex: "-1" }, headlines[i]),
        el("div", { class: "tags" }, race.known ? el("span", { class: "tag known" }, "known") : "", tags.map((t) => el("span", { class: "tag" }, t))),
        race.explain ? el("p", { class: "why" }, race.explain) : "",
        race.shape && race.shape.advice ? el("p", { class: "why" }, el("b", {}, "What usually fixes this" + (race.shape.name ? " (" + race.shape.name + ")" : "") + ": "), String(race.shape.advice)) : "",
        el("h3", {}, "What happened"), timeline(race),
        el("div", { class: "sides" }, accessCard(race, race.first, "earlier", "Earlier"), accessCard(race, race.second, "later", "Later")),
        el("h3", {}, "Memory, threads and locks"), el("div", { class: "more" }, background(race)));
}
const drawn = new Map();
function draw(i) { // once, when it is first wanted
    if (!drawn.has(i)) {
        drawn.set(i, article(races[i], i));
        const next = [...drawn.keys()].sort((a, b) => a - b).find((k) => k > i);
        byId("races").insertBefore(drawn.get(i), next === undefined ? null : drawn.get(next));
    }
    return drawn.get(i);
}
let chosen = -1;
function choose(i, focus) {
    if (chosen >= 0) {
        draw(chosen).hidden = true;
        items[chosen].firstChild.removeAttribute("aria-current");
    }
    chosen = i;
    draw(i).hidden = false;
    byId("races").scrollTop = 0;
    const button = items[i].firstChild;
    button.setAttribute("aria-current", "true");
    button.scrollIntoView({ block: "nearest" });
    if (focus)
        button.focus({ preventScroll: true });
    history.replaceState(null, "", "#" + races[i].fingerprint);
}
const items = races.map((race, i) => {
    const a = placeOf(race.first), b = placeOf(race.second);
    const button = el("button", { type: "button" },
        el("div", { class: "what" }, memoryWords(race), " ", race.known ? el("span", { class: "tag known" }, "known") : ""),
        el("div", { class: "where" }, race.second.access + " " + placeWords(b) + " \u2194 " + race.first.access + " " + placeWords(a)),
        race.times > 1 ? el("div", { class: "where" }, "found " + race.times + " times") : "");
    button.addEventListener("click", () => choose(i));
    return el("li", {}, button);
});
const everything = races.map((race, i) => [headlines[i], race.fingerprint, race.explain, ...[race.first, race.second].flatMap((a) => (a.stack || []).flatMap((f) => [f.function, f.file && f.file + ":" + f.line]))].join("\n").toLowerCase());
const shown = () => items.map((item, i) => i).filter((i) => !items[i].hidden);

function filter() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    races.forEach((race, i) => {
        items[i].hidden = !(words.every((w) => everything[i].includes(w)) &&
            (byId("kind").value === "" || race.kind === byId("kind").value) &&
            (byId("memory").value === "" || (race.location || {}).kind === byId("memory").value) && !(byId("new").checked && race.known));
    });
    const visible = shown();
    byId("count").textContent = visible.length === races.length ? count(races.length, "race") : visible.length + " of " + count(races.length, "race");
    if (visible.length > 0 && !visible.includes(chosen))
        choose(visible[0]);
}
function move(by) {
    const visible = shown(), now = visible.indexOf(chosen);
    const next = visible[Math.max(0, Math.min(visible.length - 1, now + by))];
    if (next !== undefined)
        choose(next, true);
}
function onKey(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey)
        return;
    if (event.key === "/" && !typing) {
        byId("search").focus();
        byId("search").select();
    } else if (event.key === "Escape" && document.activeElement === byId("search")) {
        byId("search").value = "";
        filter();
    } else if (event.key === "ArrowDown" && document.activeElement === byId("search") && chosen >= 0) {
        items[chosen].firstChild.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && byId("list").contains(document.activeElement)) {
        move(event.key === "ArrowDown" ? 1 : -1);
    } else if ((event.key === "j" || event.key === "k") && !typing) {
        move(event.key === "j" ? 1 : -1);
    } else if (event.key === "Enter" && byId("list").contains(document.activeElement) && chosen >= 0 && document.activeElement === items[chosen].firstChild) {
        draw(chosen).querySelector("h2").focus();
    } else
        return;
    event.preventDefault();
}
function options(id, values) {
    for (const value of [...new Set(values)].sort())
        byId(id).append(el("option", { value }, value));
}
function begin() {
    const runs = report.runs ? count(report.runs.length, "run") : [report.program, ...(report.arguments || [])].join(" ");
    const fresh = races.filter((r) => !r.known).length;
    add(byId("about"), [el("b", {}, runs || ""), ": " + (races.length === fresh ? count(fresh, "race") : fresh + " new and " + (races.length - fresh) + " known races") +
        (report.suppressed ? ", " + report.suppressed + " suppressed" : "") + (doubt ? ", but not everything was checked" : "") + ", by " + (report.detector || "several detectors") + (report.precise === false ? " (imprecise)" : "") + " " + report.version]);
    byId("main").hidden = false;
    byId("fresh").hidden = fresh === races.length;
    options("kind", races.map((r) => r.kind));
    options("memory", races.map((r) => (r.location || {}).kind || "unknown"));
    add(byId("list"), items);
    for (const id of ["search", "kind", "memory", "new"])
        byId(id).addEventListener("input", filter);
    document.addEventListener("keydown", onKey);
    window.addEventListener("beforeprint", () => races.forEach((race, i) => draw(i)));
    const asked = races.findIndex((r) => "#" + r.fingerprint === location.hash);
    if (asked >= 0)
        choose(asked);
    filter();
    if (races.length === 0)
        add(byId("races"), [el("p", { class: "none" }, el("b", {}, doubt ? "Not everything was checked" : "No race"), doubt || "Every access that was seen is ordered with every other one.")]);
}
begin();
