import { atOnce } from '../../../packages/fair/turn.js';
import {
  checkDistinct,
  checkName,
  type Report,
  scopeOf,
  workflowScope,
  type WorkflowScope,
  type WorkspaceScope,
} from '../../workspace/check/kit.js';
import {
  DefinitionFaults,
  type Fault,
  faultAt,
  faultAround,
  firstFaults,
  MAX_FAULTS,
  standingsOf,
  withoutShadows,
} from '../source/faults.js';
import {
  type WorkspaceDefinition,
  type RelationshipEnd,
  type UserDefinition,
  type ActionDefinition,
  type StepDefinition,
} from '../../workspace/definition.js';
import { placeOfValue } from '../../workspace/definition-reader.js';
import { type SourceDefinition } from '../source/read-definition.js';
import { timezoneFault } from '../../calendars/zone.js';
import { isNumbered, storageOf } from '../../schema/field-types.js';
import { email } from '../../schema/types/email.js';
import { Invalid } from '../../schema/invalid.js';
import { partsOfWorkflow, partsOfWorkspace } from '../../workspace/names.js';
import { checkNames } from '../../workspace/check/unknown-names.js';
import { definitionSchema } from '../source/definition-schema.js';
import { checkChannels } from '../../workspace/check/channels.js';
import { checkWebhooks } from '../../workspace/check/webhooks.js';
import { warnOfApprovals } from './warn-of-approvals.js';
import { warnOfLocks } from './warn-of-locks.js';
import { warnOfStarts } from './warn-of-starts.js';
import { warnOfSilentMistakes } from './silent-mistakes.js';
import { warnOfNoUse } from './no-use.js';
import { checkAsked } from './check-asked.js';
import { checkAskedOfApprovals } from '../../actions/approvals/check-asked-of-approvals.js';
import { checkViews, warnOfUnfitViews } from './check-views.js';
import { checkChecklist, checkFields, checkMembers, checkRoles, checkStages } from './check-workflow.js';
import { isSecretPart } from '../../expressions/secret-variable.js';
import { reportPeople } from './without-console.js';
import { reportMail } from './without-mail.js';
import { type SetSecrets, warnOfUnsetSecrets } from './unset-secrets.js';
import { english } from '../../lib/message.js';
import { wantedRequirements } from '../../actions/requirement-types.js';
import { checkCalendars } from '../../workspace/check/calendars.js';
import { reportLongLists } from '../source/long-lists.js';
import { checkQueries } from '../../schedules/check-queries.js';
import { checkSchedules } from '../../schedules/check-schedules.js';
import { checkClocks } from '../../clocks/check-clocks.js';
import { checkCondition } from '../../workspace/check/formulas.js';
import { checkAbsences } from '../../actions/approvals/check-absences.js';
import { checkRules } from '../../rules/check-rules.js';
import { stepTypes } from '../../actions/step-types.js';

/**
 * Checks the whole definition that `source` was merged into. Throws `DefinitionFaults` with all faults of the
 * definition and of the form of the source; `isNew` means that the workspace does not exist yet. Faults outside the
 * file name the stored element. Returns warnings, which do not prevent an apply.
 */
export const checkDefinition = (
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew = false,
  known: KnownSettings = {},
): readonly Fault[] => atOnce(checkingDefinition(definition, source, isNew, known));

/** Like `checkDefinition`, piece by piece. */
export function* checkingDefinition(
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew: boolean,
  known: KnownSettings,
): Generator<void, readonly Fault[]> {
  if (source.faults.length > MAX_FAULTS) throw new DefinitionFaults(source.file, source.faults);
  const found = { faults: new Array<Fault>(), warnings: new Array<Fault>() };
  yield* findFaults(definition, source, { isNew, ...known }, found);
  if (source.faults.length + found.faults.length > 0) throw refused(source, found.faults);
  return firstFaults(found.warnings, 'warnings');
}

const refused = ({ file, faults }: SourceDefinition, found: readonly Fault[]): DefinitionFaults =>
  new DefinitionFaults(file, [...faults, ...withoutShadows(found, faults)]);

/** The settings of the service that the check knows. */
export interface KnownSettings {
  /** The secrets that are set; absent if secrets are not to be checked. */
  readonly secrets?: SetSecrets | undefined;
  /** How to report approvals by people when there are no pages to sign in to. */
  readonly people?: 'fault' | undefined;
  /** How to report a step that sends mail when no mail server is set. */
  readonly mail?: 'fault' | 'warning' | undefined;
}

/** Records what is wrong with a definition, beside what is wrong with the form of its source. */
function* findFaults(
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  { isNew, secrets, mail, people }: KnownSettings & { readonly isNew: boolean },
  { faults, warnings }: Readonly<Record<'faults' | 'warnings', Fault[]>>,
): Generator<void> {
  const standings = standingsOf(definition);
  const record: Report = (holder, key, said, as = 'fault', line) => {
    const list = as === 'fault' ? faults : warnings;
    if (list.length > MAX_FAULTS) return;
    const message = english(said);
    const found = placeOfValue(holder)
      ? faultAt(holder, key, message, line)
      : faultAround(key, message, standings.get(holder));
    list.push(found);
    if (faults.length > MAX_FAULTS) throw refused(source, faults);
  };
  const report = Object.assign(record, { isEnough: () => warnings.length > MAX_FAULTS });
  yield;
  const scope = scopeOf(definition);
  reportLongLists(definition, report);
  if (faults.length > 0) return;
  checkWorkspace(scope, report, isNew);
  checkUsers(scope, report);
  checkAbsences(scope, report);
  for (const workflow of definition.workflows) yield* checkWorkflow(workflowScope(scope, workflow), report);
  checkRelationships(scope, report);
  checkWebhooks(scope, report);
  checkChannels(scope, report);
  checkCalendars(scope, report);
  checkViews(scope, report);
  for (const part of partsOfWorkspace(definitionSchema, definition)) checkNames(part, scope, report);
  if (people) reportPeople(definition, people, report);
  if (mail) reportMail(definition, mail, report);
  // The meaning of a query can only be checked against a definition without faults.
  yield;
  if (source.faults.length + faults.length === 0) {
    checkQueries(scope, report);
    yield;
    warnOfUnfitViews(scope, report);
  }
  yield;
  if (secrets) warnOfUnsetSecrets(definition, secrets, report);
}

/** Reports faults of relationships other than those of their names, which the checks of both workflows report. */
function checkRelationships(scope: WorkspaceScope, report: Report): void {
  const { relationships } = scope.definition;
  for (const { from, to } of relationships) {
    checkEnd(from, scope, report);
    checkEnd(to, scope, report);
  }
  const ids = relationships.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another relationship', report);
}

function checkEnd(end: RelationshipEnd, { workflows }: WorkspaceScope, report: Report): void {
  const workflow = workflows.get(end.workflow);
  if (!workflow) return;
  const uniqueId = workflow.workflow.fields.find(({ type }) => storageOf(type) === 'column');
  if (!uniqueId) report(end, 'workflow', `has no Unique ID: ${end.workflow}`);
  else if (!uniqueId.required && !isNumbered(uniqueId)) {
    report(end, 'workflow', `has a Unique ID that is neither required nor autoincrement: ${end.workflow}`);
  }
}

/** Reports what is wrong with the users. */
function checkUsers({ definition: { users }, users: directory }: WorkspaceScope, report: Report): void {
  for (const user of users) {
    const parsed = email.parse(user.email, { users: directory });
    if (parsed instanceof Invalid) report(user, 'email', parsed.message);
    checkPersonalNames(user, report);
  }
  const emails = users.map((holder) => ({ holder, key: 'email', text: holder.email.toLowerCase() }));
  checkDistinct(emails, 'is the e-mail of another user', report);
}

function checkPersonalNames(user: UserDefinition, report: Report): void {
  for (const key of ['first_name', 'last_name'] as const) {
    const name = user[key];
    if (name !== null) checkName(user, key, name, report);
  }
}

/** Reports everything that is wrong with one workflow. */
function* checkWorkflow(scope: WorkflowScope, report: Report): Generator<void> {
  checkName(scope.workflow, 'name', scope.workflow.name, report);
  const { workspace, workflow } = scope;
  for (const part of partsOfWorkflow(definitionSchema, workflow, workspace.definition)) {
    yield;
    checkNames(part, workspace, report, scope);
  }
  for (const check of [checkStages, checkFields, checkChecklist, checkRoles, checkMembers])
    check(scope, report);
  yield* checkActions(scope, report);
  for (const check of [
    checkRules,
    checkClocks,
    checkSchedules,
    warnOfNoUse,
    warnOfApprovals,
    warnOfLocks,
    warnOfStarts,
  ]) {
    yield;
    check(scope, report);
  }
  yield* warnOfSilentMistakes(scope, report);
}

/** Reports faults of the workspace itself: its id, if that is new, and the ids of its workflows. */
function checkWorkspace(
  { definition: { workspace, workflows } }: WorkspaceScope,
  report: Report,
  isNew: boolean,
): void {
  if (isNew && !isSecretPart(workspace.id))
    report(workspace, 'id', 'begins or ends with -, or has two in a row, which makes its secrets ambiguous');
  if (workspace.name !== undefined) checkName(workspace, 'name', workspace.name, report);
  const fault = workspace.timezone === undefined ? undefined : timezoneFault(workspace.timezone);
  if (fault !== undefined) report(workspace, 'timezone', fault);
  const ids = workflows.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another workflow', report);
}

/** Reports what is wrong with the actions of a workflow. */
function* checkActions(scope: WorkflowScope, report: Report): Generator<void> {
  const { actions } = scope.workflow;
  for (const action of actions) {
    yield;
    checkAction(action, scope, report);
  }
  const ids = actions.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another action', report);
  const names = actions.map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another action', report);
}

function checkAction(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  checkName(action, 'name', action.name, report);
  checkAsked(action, scope, report);
  checkAskedOfApprovals(action, scope, report);
  for (const [, type, wanted] of wantedRequirements(action.requirements)) type.check?.(wanted, scope, report);
  checkSteps(action.steps, scope, report);
}

/** Reports what is wrong with the steps of an action. */
function checkSteps(steps: readonly StepDefinition[], scope: WorkflowScope, report: Report): void {
  for (const step of steps) {
    checkName(step, 'name', step.name, report);
    if (step.when !== undefined) checkCondition(step, 'when', step.when, scope, report);
    stepTypes.get(step.type)?.check?.(step, scope, report);
  }
  for (const step of steps.slice(0, -1).filter(({ type }) => stepTypes.get(type)?.isLast)) {
    report(step, 'type', 'must be the last step');
  }
}
