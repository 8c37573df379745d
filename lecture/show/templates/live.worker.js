// What runs beside the page, in a worker made of three texts: pyodide.asm.js, pyodide.js, and this.
// It has no network to ask: every file that Pyodide fetches is one the page handed over.
"use strict";

const TYPES = { wasm: "application/wasm", json: "application/json" };
const held = {};                                  // name -> bytes

self.fetch = async (wanted) => {
  const name = String(wanted.url || wanted).split("/").pop();
  if (!held[name]) throw new Error(name + " is not in this page");
  const kind = TYPES[name.split(".").pop()] || "application/octet-stream";
  return new Response(held[name], { headers: { "Content-Type": kind } });
};

function bytesOf(letters) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(letters);
  const text = atob(letters), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let python = null, answer = null;

async function start(files, gzipped) {
  for (const [name, letters] of Object.entries(files)) {
    const bytes = bytesOf(letters);
    held[name] = gzipped.includes(name) ? await unpacked(bytes) : bytes;
  }
  python = await self.loadPyodide({
    indexURL: "https://inside.invalid/",          // asked of our own fetch, and of nobody else
    env: { HOME: "/home/pyodide", LECTURE_CACHE_DIR: "/home/pyodide/cache" },
  });
  await python.loadPackage("numpy", { messageCallback: () => {}, checkIntegrity: false });
  python.unpackArchive(held["course.zip"], "zip", { extractDir: "/course" });
  for (const name of Object.keys(held)) delete held[name];
  python.runPython("import sys\nsys.path.insert(0, '/course')\n"
                   + "from lecture.show.within import answer");
  answer = python.globals.get("answer");
}

self.onmessage = async ({ data }) => {
  try {
    if (data.start) await start(data.start, data.gzipped);
    const found = data.ask ? JSON.parse(answer(JSON.stringify(data.ask)))
      : data.python ? String(python.runPython(data.python)) : null;
    self.postMessage({ id: data.id, found });
  } catch (error) {
    self.postMessage({ id: data.id, failed: String(error && error.message || error) });
  }
};
