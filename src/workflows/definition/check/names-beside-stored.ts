import { meantInBrackets, nearest } from '../../../common/did-you-mean.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { kindsWithin } from '../kinds.js';
import { formerOf, nameKeyOf, nameOfElement } from '../merge/identities.js';
import { isRenamed } from '../merge/renames.js';
import { type Fault, faultAt, MAX_FAULTS } from '../source/faults.js';

/** Warns of names in a file that are probably mistakes, judged by the names in force. */
export function warnOfNames(
  stored: WorkspaceDefinition,
  file: WorkspaceDefinition,
  isPruning: boolean,
): Fault[] {
  const typos = warnOfLikelyTypos(stored, file);
  const told = new Set(typos.map(({ path }) => path));
  const renames = warnOfLikelyRenames(stored, file, isPruning).filter(({ path }) => !told.has(path));
  return [...warnOfUnknownFormer(stored, file), ...typos, ...renames];
}

/** Warns of each `was:` of a new element that matches no stored name: it is likely misspelt. */
const warnOfUnknownFormer = (stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] =>
  listsOf(stored, file).flatMap(({ kind, place, before, now }) => {
    if (!isRenamed(kind)) return [];
    const known = namesIn(kind, before);
    const lost = now.flatMap((holder) => {
      const was = folded(kind, formerOf(holder) ?? '');
      return was === '' || known.has(was) || known.has(folded(kind, nameOfElement(kind, holder)))
        ? []
        : { holder, was };
    });
    return lost.slice(0, MAX_FAULTS + 1).map(({ holder, was }) => {
      const message = `${place} has no ${kind.name} ${was}${meantInBrackets(was, known)}; ${nameOfElement(kind, holder)} is added, nothing is renamed`;
      return faultAt(holder, 'was', message);
    });
  });

/** A list of the workspace or of a stored workflow, with its stored elements and those in the file. */
interface ComparedList {
  readonly kind: Kind;
  readonly place: string;
  readonly before: readonly object[];
  readonly now: readonly object[];
}

function listsOf(stored: WorkspaceDefinition, file: WorkspaceDefinition): ComparedList[] {
  const known = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  const compared = (holding: string, place: string, before: object, now: object): ComparedList[] =>
    kindsWithin(holding).map((kind) => ({
      ...{ kind, place, before: listIn(before, kind.list), now: listIn(now, kind.list) },
    }));
  return [
    ...compared('workspace', stored.workspace.id, stored, file),
    ...file.workflows.flatMap((now) => {
      const before = known.get(now.id);
      return before ? compared('workflow', now.id, before, now) : [];
    }),
  ];
}

const folded = ({ key }: Kind, name: string): string => (key.includes('email') ? name.toLowerCase() : name);

const namesIn = (kind: Kind, list: readonly object[]): ReadonlySet<string> =>
  new Set(list.map((element) => folded(kind, nameOfElement(kind, element))));

/**
 * Warns of each new field if a stored field of the same type is missing in the file: it is likely a rename. Files that
 * name few of the fields of a workflow get no warning, because they omit the others on purpose.
 */
function warnOfLikelyRenames(
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
      const alike = missing.filter(({ type }) => type === field.type).map(({ name }) => name);
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

/** Warns where a new name is nearly that of a stored element missing in the file: probably a misspelling. */
export const warnOfLikelyTypos = (stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] =>
  listsOf(stored, file)
    // People have similar addresses.
    .filter(({ kind }) => !kind.key.includes('email'))
    .flatMap(typosIn)
    .slice(0, MAX_FAULTS + 1);

/** A file that adds this many elements at once is not checked for misspelt names. */
const MANY = 20;

function typosIn({ kind, before, now }: ComparedList): Fault[] {
  const [known, named] = [namesIn(kind, before), namesIn(kind, now)];
  const left = [...known].filter((name) => !named.has(name));
  const added = now.filter((each) => !known.has(nameOfElement(kind, each)) && formerOf(each) === undefined);
  return (added.length > MANY ? [] : added).flatMap((holder) => {
    const name = nameOfElement(kind, holder);
    const meant = nearest(name, left);
    // Names that differ only in a number, such as Phase 1 and Phase 2, are not misspelt.
    if (meant === undefined || meant.replace(/\d/g, '') === name.replace(/\d/g, '')) return [];
    return [faultAt(holder, nameKeyOf(kind), `is new, beside ${meant}; did you mean ${meant}?`)];
  });
}
