import { meantInBrackets, nearest } from '../../lib/did-you-mean.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { nameOfElement } from '../merge/identities.js';
import { type Fault, faultAt, identities, MAX_FAULTS } from '../source/faults.js';

// What the elements of these lists are called.
const renamed = new Map([
  ['users', 'user'],
  ['stages', 'stage'],
  ['fields', 'field'],
  ['checklist', 'checklist item'],
  ['actions', 'action'],
]);

/** Warns of each `was:` of a new element that matches no stored name: it is likely misspelt. */
export const warnOfUnknownFormer = (stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] =>
  holdersOf(stored, file).flatMap(([place, before, now]) =>
    Array.from(renamed, ([list, thing]) => {
      const known = setOf(namedIn(before, list));
      const lost = namedIn(now, list).filter(
        ({ was, name }) => was !== '' && !known.has(was) && !known.has(name),
      );
      return lost.slice(0, MAX_FAULTS + 1).map(({ holder, was, name }) => {
        const message = `${place} has no ${thing} ${was}${meantInBrackets(was, known)}; ${name} is added, nothing is renamed`;
        return faultAt(holder, 'was', message);
      });
    }).flat(),
  );

/** The workspace, and its stored workflows that the file names: as they are stored, and in the file. */
function holdersOf(stored: WorkspaceDefinition, file: WorkspaceDefinition): [string, object, object][] {
  const known = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  return [
    [stored.workspace.id, stored, file],
    ...file.workflows.flatMap((now): [string, object, object][] => {
      const before = known.get(now.id);
      return before ? [[now.id, before, now]] : [];
    }),
  ];
}

interface Named {
  readonly holder: object;
  readonly key: string;
  readonly name: string;
  readonly was: string;
}

/** The elements of a list with their names, and their former names, if they have one. */
function namedIn(of: object, list: string): Named[] {
  const key = identities.get(list) ?? '';
  const elements = new Map<string, unknown>(Object.entries(of)).get(list);
  return (Array.isArray(elements) ? (elements as readonly unknown[]) : []).flatMap((holder) => {
    if (typeof holder !== 'object' || holder === null) return [];
    const entries = new Map<string, unknown>(Object.entries(holder));
    const textOf = (of: string): string => {
      const text = entries.get(of);
      if (typeof text !== 'string') return '';
      return key === 'email' ? text.toLowerCase() : text;
    };
    return [{ holder, key, name: textOf(key), was: textOf('was') }];
  });
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

/**
 * Warns of each new element whose name is nearly that of one in force that the file leaves out: it is likely misspelt,
 * and would be added as a second one.
 */
export const warnOfLikelyTypos = (stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] =>
  holdersOf(stored, file)
    .flatMap(([, before, now]) =>
      ['workflows', 'stages', 'fields', 'actions'].flatMap((list) =>
        typosIn(namedIn(before, list), namedIn(now, list)),
      ),
    )
    .slice(0, MAX_FAULTS + 1);

/** Who adds so many at once has not misspelt them. */
const MANY = 20;

function typosIn(before: readonly Named[], now: readonly Named[]): Fault[] {
  const [known, named] = [setOf(before), setOf(now)];
  const left = [...known].filter((name) => !named.has(name));
  const added = now.filter(({ name, was }) => !known.has(name) && was === '');
  return (added.length > MANY ? [] : added).flatMap(({ holder, key, name }) => {
    const meant = nearest(name, left);
    // Names of a series, such as Phase 1 and Phase 2, are no misspelling.
    if (meant === undefined || meant.replace(/\d/g, '') === name.replace(/\d/g, '')) return [];
    return [faultAt(holder, key, `is new, beside ${meant}; did you mean ${meant}?`)];
  });
}

const setOf = (list: readonly Named[]): ReadonlySet<string> => new Set(list.map(({ name }) => name));
