import { changeableBuiltIns } from '../../fields/properties/built-ins.js';
import { didYouMean } from '../../../common/did-you-mean.js';
import { type NamedKind, type NameMark } from '../../model/marks.js';
import { type NameUse } from '../../model/names.js';
import { keysOfTask } from '../../model/check/formulas.js';
import {
  checkField,
  checkNamed,
  checkStage,
  checkUser,
  foundOnce,
  relationshipsOf,
  renamedHint,
  type Report,
  type Tell,
  unnamed,
  type WorkflowScope,
  type WorkspaceScope,
} from '../../model/check/kit.js';
import { listIn } from '../../model/list-in.js';
import { kinds } from '../kinds.js';
import { nameOfElement } from '../merge/identities.js';

/**
 * Reports the use of a name that no element has. Does nothing if the name belongs to an unknown workflow,
 * because the unknown workflow is reported where it is named.
 */
export function checkKnown(use: NameUse, scope: WorkspaceScope, report: Report, own?: WorkflowScope): void {
  const { name, mark } = use;
  if (mark.isCheckedThere) return;
  const [id = ''] = use.workflows;
  const within = id === own?.workflow.id ? own : scope.workflows.get(id);
  const tell = report.at(use.holder, use.key);
  if (mark.to === 'user') checkUser(name, scope, tell, mark.but);
  else if (!special[mark.to]) checkAmong(use, scope, within, tell);
  else if (within) special[mark.to]?.(name, within, tell, mark);
}

type CheckOfName = (name: string, scope: WorkflowScope, tell: Tell, mark: NameMark) => void;

/** Maps a kind of element to its own check of names. `checkAmong` checks all other kinds except `user`. */
const special: Record<NamedKind, CheckOfName | undefined> = {
  stage: checkStage,
  field: checkKey,
  relationship: checkRelationship,
};

function checkAmong(
  { name, mark }: NameUse,
  scope: WorkspaceScope,
  within: WorkflowScope | undefined,
  tell: Tell,
): void {
  const kind = kinds.find((each) => each.name === mark.to);
  const place = kind?.of === 'workspace' ? scope : within;
  if (!kind || !place) return;
  const known = namesIn(place).get(kind.list) ?? new Set<string>();
  if (known.has(unnamed) || known.has(name)) return;
  const where = 'workflow' in place ? `workflow ${place.workflow.id}` : 'this workspace';
  const article = /^[aeiou]/.test(kind.name) ? 'an' : 'a';
  checkNamed(name, `${article} ${kind.name} of ${where}`, known, tell);
}

const namesIn = foundOnce(
  (place: WorkspaceScope | WorkflowScope): ReadonlyMap<string, ReadonlySet<string>> => {
    const holder = 'workflow' in place ? place.workflow : place.definition;
    return new Map(
      kinds.map((kind) => [
        kind.list,
        new Set(listIn(holder, kind.list).map((each) => nameOfElement(kind, each))),
      ]),
    );
  },
);

/** For each value of `NameMark.otherKeys`, returns the names that a setting accepts in addition to fields. */
const otherKeysOf: Record<NonNullable<NameMark['otherKeys']>, (scope: WorkflowScope) => Iterable<string>> = {
  links: ({ links }) => links,
  changeable: ({ links }) => [...changeableBuiltIns, ...links],
  everything: keysOfTask,
};

function checkKey(name: string, scope: WorkflowScope, tell: Tell, mark: NameMark): void {
  if (!mark.otherKeys) {
    checkField(name, scope, tell, mark.but);
    return;
  }
  const known = new Set([...scope.fields.keys(), ...otherKeysOf[mark.otherKeys](scope)]);
  if (known.has(name) || known.has(unnamed)) return;
  const hint = renamedHint(name, scope.workflow.fields) ?? didYouMean(name, known);
  tell(`is neither a field nor a relationship of workflow ${scope.workflow.id}: ${name}${hint}`);
}

function checkRelationship(name: string, scope: WorkflowScope, tell: Tell): void {
  const { workflows, relationships } = scope.workspace;
  const own = relationshipsOf(scope);
  const ids = own.map(({ id }) => id);
  const { from, to } = relationships.get(name) ?? {};
  // A missing workflow is reported at the relationship, not at each use of the relationship.
  const isLoose = from && to && !(workflows.has(from.workflow) && workflows.has(to.workflow));
  if (isLoose || ids.includes(name)) return;
  const named = own.find((each) => [each.from.name, each.to.name].includes(name));
  const hint = named ? `; the relationship with this name has the id ${named.id}` : didYouMean(name, ids);
  tell(`is not a relationship of workflow ${scope.workflow.id}: ${name}${hint}`);
}
