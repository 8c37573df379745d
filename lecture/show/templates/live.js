// The page's side of running: a bar in every part, one worker, and questions in their turn.
"use strict";
(() => {
  const told = JSON.parse(document.getElementById("live-told").textContent);
  const words = told.words;
  const missing = ["WebAssembly", "Worker", "DecompressionStream"].filter((name) => !(name in window));

  // --- small helpers
  function make(tag, attributes = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...inside);
    return element;
  }
  function both(text, values = {}) {
    const box = document.createDocumentFragment();
    for (const lang of ["zh", "en"]) {
      const filled = text[lang].replace(/{(\w+)}/g, (_, name) => values[name]);
      box.append(make("span", { class: lang, lang }, filled));
    }
    return box;
  }
  function press(word, act) {
    const button = make("button", { type: "button" }, both(words[word]));
    button.addEventListener("click", act);
    return button;
  }

  // --- workers: one for parts, one for a student's functions, each made when first needed
  const rooms = { parts: null, tries: null };    // { room, ready, worker, waiting, turn, over }
  let last = 0;

  const letters = (name) => document.getElementById("live-" + name).textContent.trim();
  async function script(name) {
    const bytes = Uint8Array.from(atob(letters(name)), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }
  function send(to, message) {
    const id = last += 1;
    return new Promise((resolve, reject) => {
      to.waiting.set(id, { resolve, reject });
      to.worker.postMessage({ id, ...message });
    });
  }
  function end(one, why) {
    one.over = why;
    if (one.worker) one.worker.terminate();
    for (const { reject } of one.waiting.values()) reject(new Error(why));
    one.waiting.clear();
    if (rooms[one.room] === one) rooms[one.room] = null;
  }
  async function begin(one) {
    const scripts = [await script("pyodide.asm.js"), "\n;\n", await script("pyodide.js"), "\n;\n",
                     document.getElementById("live-worker").textContent];
    if (one.over) throw new Error(one.over);
    const address = URL.createObjectURL(new Blob(scripts, { type: "text/javascript" }));
    one.worker = new Worker(address);
    one.worker.onmessage = ({ data }) => {
      const asked = one.waiting.get(data.id);
      one.waiting.delete(data.id);
      if (data.failed) asked?.reject(new Error(data.failed)); else asked?.resolve(data.found);
    };
    one.worker.onerror = (event) => {
      event.preventDefault();
      end(one, event.message || "Worker");
    };
    const files = {};
    for (const name of told.files) files[name] = letters(name);
    try {
      await send(one, { start: files, gzipped: told.gzipped });
    } catch (error) {
      end(one, error.message);
      throw error;
    }
    URL.revokeObjectURL(address);
  }
  function start(room) {
    if (!rooms[room]) {
      const one = rooms[room] = { room, waiting: new Map(), turn: Promise.resolve(), over: "" };
      one.ready = begin(one);
      one.ready.catch(() => {});                 // told to whoever waits for it
    }
    return rooms[room];
  }
  // the answer to a question, asked when those before it are answered; begun() is told when
  async function ask(message, begun = () => {}, room = "parts") {
    const one = start(room);
    await one.ready;
    const before = one.turn;
    let done;
    one.turn = new Promise((resolve) => { done = resolve; });
    try {
      await before;
      if (one.over) throw new Error(one.over);
      begun();
      return await send(one, message);
    } finally { done(); }
  }

  // --- a part
  function field(setting) {
    const name = setting.name, one_of = setting.kind === "bool" ? ["False", "True"] : setting.choices;
    const number = setting.kind === "int" || setting.kind === "float";
    const input = one_of.length
      ? make("select", { name }, ...one_of.map((word) => make(
        "option", { value: word, selected: word === setting.default }, word)))
      : make("input", { name, value: setting.default, size: number ? 9 : 28, autocomplete: "off",
                        spellcheck: "false" });
    const label = make("label", {}, make("code", {}, name), " ");
    if (setting.about) label.append(both(setting.about), " ");
    label.append(input);
    if (setting.low !== null && setting.high !== null) {
      label.append(make("small", {}, both(words.range, setting)));
    }
    return label;
  }
  const verdicts = (body) => [...body.querySelectorAll(".claims > li > span:first-child")];

  function live(code, part) {
    const section = document.getElementById(`d${code}-${part.number}`);
    const head = section && section.querySelector("h2");
    if (!head) return null;
    const body = make("div", { class: "live-body" });
    while (head.nextSibling) body.append(head.nextSibling);
    const seed = { name: "seed", kind: "int", default: String(part.seed), choices: [], low: null,
                   high: null, about: words.seed };
    const settings = [...part.params, seed];
    const said = make("output", { "aria-live": "polite" });
    const fields = make("fieldset", { hidden: true }, ...settings.map(field));
    const run = make("button", { type: "submit" }, both(words.run));
    const stop = press("stop", () => { if (rooms.parts) end(rooms.parts, "stopped"); });
    const usual = press("usual", () => { bar.reset(); compute(); });
    usual.hidden = stop.hidden = true;
    const bar = make("form", { class: "live-bar", autocomplete: "off" }, run, stop, usual, said,
                     fields);
    head.after(bar, body);
    const say = (...parts) => said.replaceChildren(...parts);
    let busy = false;

    function state(is_busy) {
      busy = is_busy;
      bar.dataset.state = busy ? "busy" : "done";
      run.disabled = usual.disabled = fields.disabled = is_busy;
      stop.hidden = !is_busy;
      body.toggleAttribute("inert", is_busy);
      body.setAttribute("aria-busy", String(is_busy));
    }
    // what differs from the usual settings, and the seed where it does
    function changed() {
      const found = {};
      for (const one of settings) {
        const value = bar.elements[one.name].value;
        if (value.trim() !== one.default) found[one.name] = value;
      }
      const { seed: typed = null, ...others } = found;
      return { settings: others, seed: typed };
    }
    async function compute() {
      if (busy) return false;
      const wish = { demo: code, part: part.number, notes: told.notes, ...changed() };
      state(true);
      bar.classList.remove("live-bad");
      say(both(rooms.parts ? words.waiting : words.starting));
      let good = false, began = 0;
      try {
        const found = await ask({ ask: wish }, () => {
          began = performance.now();
          say(both(words.computing));
        });
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        if (found.refused) {
          bar.classList.add("live-bad");
          say(both(words.refused), make("br"), found.refused[0], make("br"), found.refused[1]);
        } else {
          good = true;
          const turned = redraw(found.html);
          say(both(words.held, { ...found, seconds }),
              ...(turned ? [" ", both(words.turned, { turned })] : []));
        }
        fields.hidden = usual.hidden = false;
        run.replaceChildren(both(words.compute));
      } catch (error) {
        if (rooms.parts) end(rooms.parts, error.message);
        const stopped = error.message === "stopped";
        bar.classList.toggle("live-bad", !stopped);
        say(both(stopped ? words.stopped : words.failed, { why: error.message }));
      }
      state(false);
      return good;
    }
    // the part as it was computed now; how many verdicts are not what they were
    function redraw(html) {
      const box = make("template");
      box.innerHTML = html;
      box.content.querySelector("h2")?.remove();
      const open = [...body.querySelectorAll("details")].map((fold) => fold.open);
      const before = verdicts(body).map((one) => one.textContent);
      body.replaceChildren(...box.content.childNodes);
      [...body.querySelectorAll("details")].forEach((fold, i) => { fold.open = Boolean(open[i]); });
      const turned = verdicts(body).filter((one, i) => one.textContent !== before[i]);
      for (const one of turned) one.parentElement.classList.add("turned");
      window.page?.dress(section);
      return turned.length;
    }
    bar.addEventListener("submit", (event) => { event.preventDefault(); compute(); });
    return compute;
  }

  // --- a student's functions, judged; each attempt in a worker that nothing else has touched
  function write(code, parts) {
    const article = document.getElementById(`d${code}`);
    if (!article) return;
    const blank = () => told.tries[code][document.documentElement.lang === "zh" ? "zh" : "en"];
    const text = make("textarea", { rows: 24, spellcheck: "false", autocomplete: "off",
                                    autocapitalize: "off", wrap: "off", id: `d${code}-mine` });
    text.value = blank();
    const which = make("select", { name: "part" }, make("option", { value: "" },
      `${code}.${parts[0].number} – ${code}.${parts.at(-1).number}`));
    for (const part of parts) {
      which.append(make("option", { value: part.number }, `${code}.${part.number}`));
    }
    const run = make("button", { type: "submit" }, both(words.try));
    const stop = press("stop", () => { if (rooms.tries) end(rooms.tries, "stopped"); });
    const anew = press("blank", () => { text.value = blank(); });
    stop.hidden = true;
    const said = make("output", { "aria-live": "polite" });
    const found = make("div", { class: "live-found", tabindex: "-1" });
    const bar = make("form", { class: "live-bar", autocomplete: "off" }, run, which, stop, anew, said);
    const section = make("section", { class: "live-try", id: `d${code}-try` },
      make("h2", {}, `${code} `, both(words.write)), make("p", {}, both(words.write_how)), bar,
      make("div", { class: "live-pair" },
           make("div", {}, make("label", { for: text.id }, both(words.code)), text),
           make("div", {}, make("p", {}, both(words.verdict)), found)));
    article.insertBefore(section, article.querySelector(":scope > .pager.demos"));
    document.querySelector(`#list a[href="#d${code}"] + ol`)?.append(
      make("li", {}, make("a", { href: `#${section.id}` }, both(words.write))));

    text.addEventListener("keydown", (event) => {     // a new line stands under the one before
      if (event.key !== "Enter" || event.isComposing) return;
      const line = text.value.slice(0, text.selectionStart).split("\n").pop();
      const indent = /^ */.exec(line)[0] + (line.trimEnd().endsWith(":") ? "    " : "");
      event.preventDefault();
      text.setRangeText("\n" + indent, text.selectionStart, text.selectionEnd, "end");
    });
    bar.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (bar.dataset.state === "busy") return;
      bar.dataset.state = "busy";
      bar.classList.remove("live-bad");
      run.disabled = anew.disabled = true;
      stop.hidden = false;
      said.replaceChildren(both(words.starting));
      let began = 0;
      try {
        const wish = { demo: code, mine: text.value, part: which.value ? Number(which.value) : null };
        const answer = await ask({ ask: wish }, () => {
          began = performance.now();
          said.replaceChildren(both(words.computing));
        }, "tries");
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        if (answer.refused) {
          bar.classList.add("live-bad");
          said.replaceChildren(both(words.refused), make("br"), answer.refused.join(" "));
        } else {
          found.innerHTML = answer.html;
          for (const link of found.querySelectorAll("a")) {
            if (!document.getElementById(link.hash.slice(1))) link.replaceWith(link.textContent);
          }
          said.replaceChildren(both(words.tried, { seconds }));
        }
        if (rooms.tries) end(rooms.tries, "used");
        start("tries");                               // fresh, for the next attempt
      } catch (error) {
        if (rooms.tries) end(rooms.tries, error.message);
        const stopped = error.message === "stopped";
        bar.classList.toggle("live-bad", !stopped);
        said.replaceChildren(both(stopped ? words.stopped : words.failed, { why: error.message }));
      }
      bar.dataset.state = "done";
      run.disabled = anew.disabled = false;
      stop.hidden = true;
    });
  }

  // --- the page
  const about = make("p", { class: "live-about" }, both(words.about, told));
  (document.querySelector("main") || document.body).append(about);
  if (missing.length) {
    const why = missing.join(", ");
    about.prepend(make("strong", {}, both(words.cannot, { why })), make("br"));
    return;
  }
  for (const [code, parts] of Object.entries(told.demos)) {
    const runs = parts.map((part) => live(code, part)).filter(Boolean);
    if (told.tries[code]) write(code, parts);
    const title = document.querySelector(`#d${code} > h1`);
    if (!title || runs.length < 2) continue;
    const all = press("run_all", async () => {
      all.disabled = true;
      for (const run of runs) if (!await run()) break;
      all.disabled = false;
    });
    title.after(make("p", { class: "live-all" }, all));
  }
  // for whoever opens the browser's console: the same Python, asked directly
  window.lecture = { ask: (wish) => ask({ ask: wish }), python: (code) => ask({ python: code }) };
})();
