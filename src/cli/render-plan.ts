import { type Change, type NamedElement } from '../workflows/model/changed-definition.js';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { type Paint, renderChanges } from '../workflows/definition/render-changes.js';
import { hasListOf } from '../workflows/definition/merge/emptied-lists.js';
import { type Plan } from '../workflows/definition/plan-definition.js';
import { type Effect, renderExample } from '../workflows/model/effect.js';
import { plural } from '../common/wording.js';

export function renderPlan({ workspace, version, changes, effects }: Plan, paint: Paint): string[] {
  const rendered = renderChanges(changes, paint);
  const lines = changes.flatMap((change, index) => {
    const isFirst = changes.findIndex((other) => isSame(other, change)) === index;
    const own = isFirst ? effects.filter((effect) => isSame(effect, change)) : [];
    return [...(rendered[index] ?? []), ...own.flatMap((effect) => effectLines(effect, paint))];
  });
  const state = version === 0 ? 'new' : `version ${version}`;
  return [`workspace ${paint('bold', workspace)} (${state})`, '', ...lines, '', summary(changes)];
}

/** Returns why a plan is refused and what to do about it; undefined if it is not refused. */
export function refusal({ effects }: Plan, allowsDataLoss: boolean): string | undefined {
  if (effects.some(({ kind }) => kind === 'blocked'))
    return 'Refused, nothing was changed: say in the file what to do about each ✗ of the plan.';
  const isLosing = !allowsDataLoss && effects.some(({ kind }) => kind === 'loses');
  return isLosing
    ? 'Refused, nothing was changed: data that the plan marks with ! would be lost. Change the file, or allow the loss with --allow-data-loss.'
    : undefined;
}

/**
 * Says which elements stay although the file omits them: counts them if the plan has changes, otherwise names
 * them. If the file lacks a whole list, ignores that list, because a file may contain only the changes.
 */
export function keptLine({ changes, kept }: Plan, file: WorkspaceDefinition): string | undefined {
  const omitted = kept.filter((element) => hasListOf(file, element));
  if (omitted.length === 0) return undefined;
  const them = omitted.length === 1 ? 'it' : 'them';
  const told = changes.length === 0 ? namesOf(omitted) : countsOf(omitted);
  return `kept, although the file does not name ${them}: ${told}; \`--prune\` removes ${them}`;
}

function namesOf(elements: readonly NamedElement[]): string {
  const names = elements.slice(0, MAX_KEPT).map(({ what, name }) => `${what} ${name}`);
  const more = elements.length > MAX_KEPT ? `, and ${elements.length - MAX_KEPT} more` : '';
  return `${names.join(', ')}${more}`;
}

function countsOf(elements: readonly NamedElement[]): string {
  const kindsOf = [...new Set(elements.map(({ what }) => what))];
  const countOf = (kind: string): number => elements.filter(({ what }) => what === kind).length;
  return kindsOf.map((kind) => plural(countOf(kind), kind)).join(', ');
}

const MAX_KEPT = 10;

const effectMarks = { notes: ['·', 'dim'], loses: ['!', 'red'], blocked: ['✗', 'red'] } as const;

function isSame(one: { what: string; name: string }, other: { what: string; name: string }): boolean {
  return one.what === other.what && one.name === other.name;
}

function effectLines({ kind, message, examples, count }: Effect, paint: Paint): string[] {
  const [mark, style] = effectMarks[kind];
  const more = count > examples.length && examples.length > 0 ? ['…'] : [];
  const named = [...examples.map(renderExample), ...more].map((line) => `          ${paint('dim', line)}`);
  return [`      ${paint(style, mark)} ${message}`, ...named];
}

function summary(changes: readonly Change[]): string {
  const kinds = ['add', 'rename', 'change', 'remove'] as const;
  const counts = kinds.map((kind) => ({
    kind,
    count: changes.filter((change) => change.kind === kind).length,
  }));
  const told = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} to ${kind}`);
  return `${plural(changes.length, 'change')}: ${told.join(', ')}`;
}
