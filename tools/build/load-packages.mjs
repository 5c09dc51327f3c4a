/**
 * Loads the packages that `bundle.mjs` has put into one script. The build copies this file to the folder with
 * the script and the code that V8 compiled from the script. If Node.js has another version, or V8 has other
 * options, V8 compiles the script again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const filename = `${import.meta.dirname}/packages.cjs`;
const compiled = `${import.meta.dirname}/packages.compiled`;

const script = new Script(
  // The wrapper begins on the script's first line, so that line numbers stay right. The script is in ASCII.
  `(function (module, require, __url, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, cachedData: readCompiled() },
);
const module = { exports: {} };
script.runInThisContext()(module, createRequire(filename), import.meta.url, filename, import.meta.dirname);

/** Whether V8 accepted the stored compiled code. */
export const isCompiled = script.cachedDataRejected === false;

/** A package, evaluated when it is first asked for. */
export function load(path) {
  return module.exports[path]();
}

/** For the build: loads every package, and stores the code that V8 has compiled by then. */
export function keepCompiled() {
  for (const path of Object.keys(module.exports)) load(path);
  writeFileSync(compiled, script.createCachedData());
}

function readCompiled() {
  try {
    return readFileSync(compiled);
  } catch {
    // The file does not exist while the script is being built.
    return undefined;
  }
}
