// The page side of running: a bar in every part, one worker, questions in their turn.
"use strict";
(() => {
  const told = JSON.parse(document.getElementById("live-told").textContent);
  const words = told.words;
  const MISSING = [["WebAssembly", "WebAssembly"], ["Worker", "Worker"],
                   ["DecompressionStream", "DecompressionStream"]]
    .filter(([name]) => !(name in window)).map(([, name]) => name);

  // --- small helpers --------------------------------------------------------------
  function make(tag, attributes = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...inside);
    return element;
  }
  const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
  function both(text, values = {}) {
    const box = document.createDocumentFragment();
    for (const lang of ["zh", "en"]) {
      box.append(make("span", { class: lang, lang }, filled(text[lang], values)));
    }
    return box;
  }
  function press(word, act) {
    const button = make("button", { type: "button" }, both(words[word]));
    button.addEventListener("click", act);
    return button;
  }

  // --- the worker -----------------------------------------------------------------
  let worker = null, started = null, last = 0;
  const waiting = new Map();                     // id -> [resolve, reject]

  const letters = (name) => document.getElementById("live-" + name).textContent.trim();
  async function text(name) {
    const bytes = Uint8Array.from(atob(letters(name)), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }
  function send(message, handed = []) {
    last += 1;
    const id = last;
    return new Promise((resolve, reject) => {
      waiting.set(id, [resolve, reject]);
      worker.postMessage({ id, ...message }, handed);
    });
  }
  function give_up(why) {
    for (const [, reject] of waiting.values()) reject(new Error(why));
    waiting.clear();
    if (worker) worker.terminate();
    worker = started = null;
  }
  function start() {
    started = started || (async () => {
      const scripts = [await text("pyodide.asm.js"), "\n;\n", await text("pyodide.js"), "\n;\n",
                       document.getElementById("live-worker").textContent];
      const address = URL.createObjectURL(new Blob(scripts, { type: "text/javascript" }));
      worker = new Worker(address);
      worker.onmessage = ({ data }) => {
        const [resolve, reject] = waiting.get(data.id) || [];
        waiting.delete(data.id);
        if (!resolve) return;
        if (data.failed) reject(new Error(data.failed)); else resolve(data.found);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        give_up(event.message || "Worker");
      };
      const files = {};
      for (const name of told.files) files[name] = letters(name);
      await send({ start: files, zipped: told.zipped });
      URL.revokeObjectURL(address);
    })();
    return started;
  }
  async function ask(question) {
    await start();
    return send({ ask: question });
  }

  // --- a part ---------------------------------------------------------------------
  function field(setting) {
    const name = setting.name;
    let input;
    if (setting.kind === "bool" || setting.choices.length) {
      const choices = setting.choices.length ? setting.choices : ["False", "True"];
      input = make("select", { name }, ...choices.map((word) => make(
        "option", { value: word, selected: word === setting.default }, word)));
    } else {
      const number = setting.kind === "int" || setting.kind === "float";
      input = make("input", { name, value: setting.default, autocomplete: "off", spellcheck: "false",
                              size: number ? 9 : 28,
                              inputmode: setting.kind === "int" ? "numeric" : null });
    }
    const label = make("label", {}, make("code", {}, name), " ");
    if (setting.about) label.append(both(setting.about), " ");
    label.append(input);
    if (setting.low !== null && setting.high !== null) {
      label.append(make("small", {}, both(words.range, setting)));
    }
    return label;
  }

  function live(code, part) {
    const section = document.getElementById(`d${code}-${part.number}`);
    if (!section) return null;
    const head = section.querySelector("h2");
    const body = make("div", { class: "live-body" });
    while (head.nextSibling) body.append(head.nextSibling);
    const seed = { name: "seed", kind: "int", default: String(part.seed), choices: [], low: null,
                   high: null, about: null };
    const settings = [...part.params, seed];
    const said = make("output", { "aria-live": "polite" });
    const fields = make("fieldset", { hidden: true, disabled: true }, ...settings.map(field));
    const run = make("button", {}, both(words.run));
    const usual = press("usual", () => { bar.reset(); compute(); });
    const stop = press("stop", () => { give_up("stopped"); });
    usual.hidden = stop.hidden = true;
    const bar = make("form", { class: "live-bar" }, run, stop, fields, usual, said);
    head.after(bar);
    bar.after(body);

    const say = (...parts) => said.replaceChildren(...parts);
    async function compute() {
      if (bar.dataset.busy) return false;
      bar.dataset.busy = "yes";
      bar.classList.remove("live-bad");
      body.setAttribute("aria-busy", "true");
      run.disabled = usual.disabled = fields.disabled = true;
      stop.hidden = false;
      const changed = {};
      for (const one of settings) {
        const value = bar.elements[one.name].value;
        if (value.trim() !== one.default) changed[one.name] = value;
      }
      const typed = changed.seed;
      delete changed.seed;
      let good = false;
      try {
        say(both(words.starting));
        await start();
        say(both(words.computing));
        const began = performance.now();
        const found = await ask({ demo: code, part: part.number, settings: changed,
                                  seed: typed === undefined ? null : typed, notes: told.notes });
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        if (found.refused) {
          bar.classList.add("live-bad");
          say(both(words.refused), " ", ...found.refused.flatMap((line) => [line, make("br")]));
        } else {
          replace(found.html);
          good = true;
          say(both(words.held, { ...found, seconds }));
        }
        fields.hidden = usual.hidden = false;
        run.replaceChildren(both(words.compute));
      } catch (error) {
        bar.classList.add("live-bad");
        say(both(error.message === "stopped" ? words.stopped : words.failed,
                 { why: error.message }));
      }
      delete bar.dataset.busy;
      body.removeAttribute("aria-busy");
      run.disabled = usual.disabled = fields.disabled = false;
      stop.hidden = true;
      return good;
    }
    function replace(html) {
      const box = make("template");
      box.innerHTML = html;
      const fresh = box.content.querySelector("section") || box.content;
      fresh.querySelector("h2")?.remove();
      const open = [...body.querySelectorAll("details")].map((fold) => fold.open);
      body.replaceChildren(...fresh.childNodes);
      [...body.querySelectorAll("details")].forEach((fold, i) => { fold.open = Boolean(open[i]); });
      document.dispatchEvent(new CustomEvent("part-drawn", { detail: section }));
    }
    bar.addEventListener("submit", (event) => { event.preventDefault(); compute(); });
    return compute;
  }

  // --- the page -------------------------------------------------------------------
  const foot = make("p", { class: "live-about" }, both(words.about, told));
  document.body.append(foot);
  if (MISSING.length) {
    foot.prepend(make("strong", {}, both(words.cannot, { why: MISSING.join(", ") })), make("br"));
  } else {
    for (const [code, parts] of Object.entries(told.demos)) {
      const runs = parts.map((part) => live(code, part)).filter(Boolean);
      const title = document.getElementById(`d${code}`);
      if (title && runs.length > 1) {
        const all = press("run_all", async () => {
          all.disabled = true;
          for (const run of runs) if (!await run()) break;
          all.disabled = false;
        });
        title.append(make("p", { class: "live-all" }, all));
      }
    }
    window.lecture = { ask, start, python: async (code) => (await start(), send({ python: code })) };
  }
})();
