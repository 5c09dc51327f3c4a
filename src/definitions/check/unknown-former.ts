import { meantInBrackets, nearest } from '../../lib/did-you-mean.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workspace/definition.js';
import { emailOf, idOf, nameOfElement } from '../merge/identities.js';
import { type Fault, faultAt, MAX_FAULTS } from '../source/faults.js';

/** Warns of each `was:` of a new element that matches no stored name: it is likely misspelt. */
export function warnOfUnknownFormer(stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] {
  const known = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  const users = file.users.map((holder) => ({
    holder,
    was: holder.was?.toLowerCase(),
    now: emailOf(holder),
  }));
  return [
    ...unknown({ place: stored.workspace.id, thing: 'user' }, stored.users.map(emailOf), users),
    ...file.workflows.flatMap((workflow) => ofWorkflow(known.get(workflow.id), workflow)),
  ];
}

function ofWorkflow(stored: WorkflowDefinition | undefined, file: WorkflowDefinition): Fault[] {
  if (!stored) return [];
  const { id: place, stages, fields, checklist, actions } = stored;
  const titles = checklist.map(({ title }) => title);
  const items = file.checklist.map((holder) => ({ holder, was: holder.was, now: holder.title }));
  return [
    ...unknown({ place, thing: 'stage' }, stages.map(nameOfElement), file.stages.map(toUse)),
    ...unknown({ place, thing: 'field' }, fields.map(nameOfElement), file.fields.map(toUse)),
    ...unknown({ place, thing: 'checklist item' }, titles, items),
    ...unknown(
      { place, thing: 'action' },
      actions.map(idOf),
      file.actions.map((holder) => ({ holder, was: holder.was, now: holder.id })),
    ),
  ];
}

/**
 * Warns of each new field if a stored field of the same type is missing in the file: it is likely a rename. Files that
 * name few of the fields of a workflow get no warning, because they omit the others on purpose.
 */
export function warnOfLikelyRenames(
  stored: WorkspaceDefinition,
  file: WorkspaceDefinition,
  isPruning: boolean,
): Fault[] {
  return file.workflows.flatMap(({ id, fields }) => {
    const known = stored.workflows.find((workflow) => workflow.id === id)?.fields ?? [];
    const names = new Set(fields.flatMap(({ name, was }) => [name, was ?? name]));
    const missing = known.filter(({ name }) => !names.has(name));
    if (!isPruning && missing.length * 2 > known.length) return [];
    const added = fields.filter(
      ({ name, was }) => was === undefined && known.every((field) => field.name !== name),
    );
    return added.flatMap((field) => {
      const alike = missing.filter(({ type }) => type === field.type).map(nameOfElement);
      if (alike.length === 0) return [];
      const fate = isPruning ? 'is removed with its values' : 'is kept';
      return [
        faultAt(
          field,
          'name',
          `is new, and ${alike.join(' or ')}, of type ${field.type}, ${fate}: if that is its former name, write was: ${alike[0] ?? ''}`,
        ),
      ];
    });
  });
}

interface Use {
  readonly holder: object;
  readonly was: string | undefined;
  readonly now: string;
}

function toUse(holder: { readonly name: string; readonly was?: string }): Use {
  return { holder, was: holder.was, now: holder.name };
}

function unknown(
  { place, thing }: { readonly place: string; readonly thing: string },
  names: readonly string[],
  uses: readonly Use[],
): Fault[] {
  const stored = new Set(names);
  const lost = uses.filter(({ was, now }) => was !== undefined && !stored.has(was) && !stored.has(now));
  return lost.slice(0, MAX_FAULTS + 1).map(({ holder, was = '', now }) => {
    const message = `${place} has no ${thing} ${was}${meantInBrackets(was, names)}; ${now} is added, nothing is renamed`;
    return faultAt(holder, 'was', message);
  });
}

/**
 * Warns of each new element whose name is nearly that of one in force that the file leaves out: it is likely misspelt,
 * and would be added as a second one.
 */
export function warnOfLikelyTypos(stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] {
  const workflows = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  const within = file.workflows.flatMap((workflow) => typosIn(workflows.get(workflow.id) ?? {}, workflow));
  return [...typosIn(stored, file), ...within].slice(0, MAX_FAULTS + 1);
}

/** Who adds so many at once has not misspelt them. */
const MANY = 20;

function typosIn(stored: object, file: object): Fault[] {
  const lists = new Map<string, unknown>(Object.entries(stored));
  return Object.entries(file).flatMap(([list, elements]: [string, unknown]) => {
    const known = new Set(namedIn(lists.get(list)).map(({ name }) => name));
    const named = namedIn(elements);
    const left = new Set([...known].filter((name) => named.every((one) => one.name !== name)));
    const added = named.filter(({ holder, name }) => !known.has(name) && !('was' in holder));
    return (added.length > MANY ? [] : added).flatMap(({ holder, key, name }) => {
      const meant = nearest(name, left);
      // Names of a series, such as Phase 1 and Phase 2, are no misspelling.
      if (meant === undefined || meant.replace(/\d/g, '') === name.replace(/\d/g, '')) return [];
      return [faultAt(holder, key, `is new, beside ${meant}; did you mean ${meant}?`)];
    });
  });
}

function namedIn(list: unknown): { readonly holder: object; readonly key: string; readonly name: string }[] {
  return (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((holder) => {
    if (typeof holder !== 'object' || holder === null) return [];
    const [key, name] =
      Object.entries(holder).find(([key]) => key === 'id' || key === 'name') ?? ([] as unknown[]);
    return typeof key === 'string' && typeof name === 'string' ? [{ holder, key, name }] : [];
  });
}
