import { patches } from './patches.mjs';

const wanted = (process.env.WTS_PATCHES ?? '').split(',').filter((name) => name !== '');

/** Loads a module as the patches want it. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const changes = wanted.flatMap((name) => patches[name]).filter(({ file }) => url.endsWith(file));
  if (changes.length === 0) return loaded;
  let source = String(loaded.source);
  for (const { file, from, to } of changes) {
    if (!source.includes(from)) throw new Error(`${file} has nothing to patch: ${from}`);
    source = source.replaceAll(from, to);
  }
  return { ...loaded, source };
}
