/**
 * Gives out the packages that `bundle.mjs` has put into one script. The build lays it beside that script, and beside what
 * V8 has compiled of it; another version of Node.js, or other options of V8, compile it anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const filename = `${import.meta.dirname}/packages.cjs`;
const compiled = `${import.meta.dirname}/packages.compiled`;

const script = new Script(
  // On the line of its first, so that lines keep their numbers; its text is ASCII.
  `(function (module, require, __url, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, cachedData: readCompiled() },
);
const module = { exports: {} };
script.runInThisContext()(module, createRequire(filename), import.meta.url, filename, import.meta.dirname);

/** Whether V8 took what it had compiled before. */
export const isCompiled = script.cachedDataRejected === false;

/** A package, evaluated when it is first asked for. */
export function load(path) {
  return module.exports[path]();
}

/** For the build: loads every package, and keeps what V8 has compiled by then. */
export function keepCompiled() {
  for (const path of Object.keys(module.exports)) load(path);
  writeFileSync(compiled, script.createCachedData());
}

function readCompiled() {
  try {
    return readFileSync(compiled);
  } catch {
    // It is being built.
    return undefined;
  }
}
