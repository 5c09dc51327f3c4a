import { type Plan } from '../definitions/draft.js';
import { renderChange } from '../definitions/merge/diff.js';
import { alterationLines } from './render-plan.js';

/**
 * Returns the version in force if it equals the base. Otherwise throws, unless the file changes nothing: applying it
 * would revert what was applied since.
 */
export async function undrifted<File extends { readonly file: string }>(
  base: File,
  file: File,
  planOf: (one: File) => Promise<Plan>,
): Promise<number> {
  const before = await planOf(base);
  if (before.changes.length > 0 && (await planOf(file)).changes.length > 0)
    throw new Error(`${driftText(base.file, before)}\nNothing was applied.`);
  return before.version;
}

/** Describes for people how the definition in force differs from the base. */
export function driftText(base: string, { version, changes }: Plan): string {
  const lines = changes.flatMap((change) => [
    `  ${renderChange(change)}`,
    ...alterationLines(change, (_, text) => text),
  ]);
  return [
    `The definition in force (version ${version}) differs from ${base}. These changes would make it equal:`,
    ...lines,
    'Somebody has applied a change since then, or an earlier change was never applied. Add the difference to the file in a separate change, or apply without --base, which reverts it.',
  ].join('\n');
}

/** The error if another apply came first. */
export function overtaken(): Error {
  return new Error('Somebody else has just applied a change, so nothing was applied. Run the command again.');
}

/** Lists what stays in force although the file omits it: everything if nothing changes, else what is newly omitted. */
export function keptLine({ changes, kept }: Plan, before: Plan | undefined): string | undefined {
  const formerly = new Set(before?.kept.map(({ what, name }) => `${what} ${name}`));
  const names = (before || changes.length === 0 ? kept : [])
    .map(({ what, name }) => `${what} ${name}`)
    .filter((name) => !formerly.has(name));
  if (names.length === 0) return undefined;
  const them = names.length === 1 ? 'it' : 'them';
  const more = names.length > MAX_KEPT ? `, and ${names.length - MAX_KEPT} more` : '';
  return `kept, although the file does not name ${them}: ${names.slice(0, MAX_KEPT).join(', ')}${more}; \`--prune\` removes ${them}`;
}

const MAX_KEPT = 10;
