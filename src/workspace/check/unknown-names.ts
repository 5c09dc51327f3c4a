import { changeableBuiltIns } from '../../schema/properties/built-ins.js';
import { didYouMean } from '../../lib/did-you-mean.js';
import { type NamedKind, type NameMark } from '../marks.js';
import { type DefinitionPart, namesIn, type NameUse } from '../names.js';
import { keysOfTask } from './formulas.js';
import {
  checkField,
  checkNamed,
  checkStage,
  checkUser,
  linkNamesOf,
  relationshipsOf,
  renamedHint,
  type Report,
  unnamed,
  type WorkflowScope,
  type WorkspaceScope,
} from './kit.js';

/** Reports the unknown names in a part of a definition; those in an unknown workflow are reported where this is named. */
export function checkNames(
  part: DefinitionPart,
  scope: WorkspaceScope,
  report: Report,
  own?: WorkflowScope,
): void {
  for (const use of namesIn(part)) {
    const { to, isOwn, isCheckedThere } = use.mark;
    if (isOwn || isCheckedThere) continue;
    ofWorkspace.get(to)?.(use, scope, report);
    const [id = ''] = use.workflows;
    const within = id === own?.workflow.id ? own : scope.workflows.get(id);
    if (within) ofWorkflow.get(to)?.(use, within, report);
  }
}

type Check<Scope> = (use: NameUse, scope: Scope, report: Report) => void;

const ofWorkspace: ReadonlyMap<NamedKind, Check<WorkspaceScope>> = new Map([
  ['user', checkPerson],
  ['workflow', inWorkspace('a workflow', ({ workflows }) => [...workflows.keys()])],
  ['channel', inWorkspace('a channel', ({ definition }) => definition.channels.map(idOf))],
  ['calendar', inWorkspace('a calendar', ({ definition }) => definition.calendars.map(idOf))],
]);

const ofWorkflow: ReadonlyMap<NamedKind, Check<WorkflowScope>> = new Map([
  ['stage', checkStageNamed],
  ['field', checkKey],
  ['action', inWorkflow('an action', ({ workflow }) => workflow.actions.map(idOf))],
  ['role', inWorkflow('a role', ({ workflow }) => workflow.roles.map(idOf))],
  ['relationship', checkRelationship],
]);

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function inWorkspace(what: string, known: (scope: WorkspaceScope) => string[]): Check<WorkspaceScope> {
  return (use, scope, report) => {
    checkAmong(use, `${what} of this workspace`, known(scope), report);
  };
}

function inWorkflow(what: string, known: (scope: WorkflowScope) => string[]): Check<WorkflowScope> {
  return (use, scope, report) => {
    checkAmong(use, `${what} of workflow ${scope.workflow.id}`, known(scope), report);
  };
}

function checkAmong({ holder, key, name }: NameUse, what: string, known: string[], report: Report): void {
  if (!known.includes(unnamed)) checkNamed([holder, key], name, what, known, report);
}

function checkPerson({ holder, key, name, mark }: NameUse, scope: WorkspaceScope, report: Report): void {
  checkUser(holder, key, name, scope, report, mark.but);
}

function checkStageNamed({ holder, key, name }: NameUse, scope: WorkflowScope, report: Report): void {
  checkStage(holder, key, name, scope, report);
}

/** The keys of a task that a setting may name beside its fields. */
const keysBeside: Record<NonNullable<NameMark['beside']>, (scope: WorkflowScope) => Iterable<string>> = {
  links: linkNamesOf,
  changeable: (scope) => [...changeableBuiltIns, ...linkNamesOf(scope)],
  everything: keysOfTask,
};

function checkKey(use: NameUse, scope: WorkflowScope, report: Report): void {
  const { holder, key, name, mark } = use;
  if (!mark.beside) {
    checkField(holder, key, name, scope, report, mark.but);
    return;
  }
  const known = new Set([...scope.fields.keys(), ...keysBeside[mark.beside](scope)]);
  if (known.has(name) || known.has(unnamed)) return;
  const hint = renamedHint(name, scope.workflow.fields) ?? didYouMean(name, known);
  report(
    holder,
    key,
    `is neither a field nor a relationship of workflow ${scope.workflow.id}: ${name}${hint}`,
  );
}

function checkRelationship({ holder, key, name }: NameUse, scope: WorkflowScope, report: Report): void {
  const { workflows, relationships } = scope.workspace;
  const own = relationshipsOf(scope);
  const { from, to } = relationships.get(name) ?? {};
  // An end at a missing workflow is reported at the relationship.
  const isLoose = from && to && !(workflows.has(from.workflow) && workflows.has(to.workflow));
  if (isLoose || own.some(({ id }) => id === name)) return;
  const named = own.find((each) => [each.from.name, each.to.name].includes(name));
  const hint = named ? `; ${name} is a name of ${named.id}` : didYouMean(name, own.map(idOf));
  report(holder, key, `is not a relationship of workflow ${scope.workflow.id}: ${name}${hint}`);
}
