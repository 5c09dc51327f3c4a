import { needsHours, parseDuration } from '../../../workflows/time/duration.js';
import { checkCondition } from '../../../workflows/model/check/formulas.js';
import { checkDistinct, type Report, type WorkflowScope } from '../../../workflows/model/check/kit.js';
import { type ApprovalsDefinition, excludedWords, type GroupDefinition } from './approvals-schema.js';
import { placesTaken } from './matching.js';
import { type ActionDefinition } from '../../../workflows/model/action-definition.js';
import { compileGroup, EVERYTHING } from './approval-group.js';
import { draftSchema } from '../../../workflows/model/draft-schema.js';

export function checkApprovals(wanted: ApprovalsDefinition, scope: WorkflowScope, report: Report): void {
  for (const group of wanted.of) checkGroup(group, scope, report);
  const ids = wanted.of.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another group', report);
  warnOfTooFew(wanted, scope, report);
}

function checkGroup(group: GroupDefinition, scope: WorkflowScope, report: Report): void {
  const { roles, users, field, not, expires, when } = group;
  if (!roles && !users && field === undefined)
    report(group, 'id', 'does not say who may approve: write roles, users or field');
  if (field !== undefined) checkPersonField(group, 'field', field, scope, report);
  not?.forEach((word, index) => {
    if (!isWord(word)) checkPersonField(not, index, word, scope, report);
  });
  if (field !== undefined && !roles && !users && group.count > 1)
    report(
      group,
      'count',
      `cannot be met: ${field} names 1 person, but ${group.count} are needed`,
      'warning',
    );
  if (expires !== undefined) checkExpiry(group, expires, report);
  if (when !== undefined) checkCondition(when, scope, report.at(group, 'when'));
  if (not?.includes('editors') && !canChange(group, scope))
    report(group, 'not', 'excludes editors, but nothing that it covers can change', 'warning');
}

const isWord = (text: string): boolean => excludedWords.some((word) => word === text);

function checkPersonField(
  holder: object,
  key: string | number,
  name: string,
  scope: WorkflowScope,
  report: Report,
): void {
  const type = scope.fields.get(name)?.type;
  if (type !== undefined && type !== 'person') report(holder, key, `is not a person field: ${name}`);
}

function checkExpiry(group: GroupDefinition, expires: string, report: Report): void {
  const { value, refusals = [] } = parseDuration(expires);
  for (const { message } of refusals) report(group, 'expires', message);
  if (value && needsHours(value))
    report(group, 'expires', 'is in working time: write minutes, hours or days');
}

function canChange({ covers }: GroupDefinition, scope: WorkflowScope): boolean {
  const { fields, links } = scope;
  const names = covers ?? [...fields.keys(), ...links];
  return names.some((name) => links.has(name) || fields.get(name)?.editable !== false);
}

/** Warns of groups with fewer people than they need. Skips groups with a field, because the task names the person. */
function warnOfTooFew({ of, distinct }: ApprovalsDefinition, scope: WorkflowScope, report: Report): void {
  const places = of
    .filter(({ field }) => field === undefined)
    .map((group) => ({ id: group.id, count: group.count, people: peopleOf(group, scope), group }));
  for (const { id, count, people, group } of places) {
    // Groups with a condition are not counted together, because the task decides which of them are needed.
    const together = places.filter((each) => each.group === group || each.group.when === undefined);
    const excluded = group.not?.filter(isWord) ?? [];
    if (people.size === count && excluded.length > 0)
      report(group, 'count', `needs all ${count} who may approve, so it cannot be met if one of them is among: ${excluded.join(', ')}`, 'warning'); // prettier-ignore
    if ((placesTaken(together, distinct ?? true).get(id) ?? 0) >= count) continue;
    const who = people.size === 1 ? '1 person may' : `${people.size} people may`;
    const shared = people.size >= count ? ', and other groups need them too' : '';
    report(group, 'count', `cannot be met: ${id} needs ${count}; ${who}${shared}`, 'warning');
  }
}

function peopleOf({ roles = [], users = [] }: GroupDefinition, scope: WorkflowScope): ReadonlySet<string> {
  const { workflow, workspace } = scope;
  const emails = new Set(workflow.members.map(({ email }) => email.toLowerCase()));
  const held = workflow.members
    .filter(({ role }) => [role].flat().some((one) => roles.includes(one)))
    .map(({ email }) => email);
  const active = [...held, ...users].filter((email) => workspace.users.find(email)?.active);
  const named = active.map((email) => email.toLowerCase());
  // If the workflow has roles, a user without one cannot see its tasks.
  return new Set(named.filter((email) => workflow.roles.length === 0 || emails.has(email)));
}

/** Reports asked fields that an approval covers or reads: they are filled in after the approval. */
export function checkAskedOfApprovals(
  { fields = [], requirements, steps }: ActionDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  // The definition was read by its schema, so the value has this type.
  const wanted = requirements['approvals'] as ApprovalsDefinition | undefined;
  if (fields.length === 0 || !wanted) return;
  for (const definition of wanted.of) {
    const { id, covers, reads } = compileGroup(definition, steps, draftSchema(scope));
    const isEverything = covers.includes(EVERYTHING);
    // In a draft, the ids of fields are their names.
    for (const asked of fields.filter(({ field }) => isEverything || [...covers, ...reads].includes(field))) {
      const remedy = `let another action ask for it${isEverything ? ', or write covers without it' : ''}`;
      const message = `is approved by ${id}, so nobody can be asked for it afterwards: ${asked.field}; ${remedy}`;
      report(asked, 'field', message);
    }
  }
}
