import { approvalsOf, compileApprovals, EVERYTHING } from './approvals/approval-group.js';
import { messagesOfGroup } from './approvals/approval-messages.js';
import {
  approvalsSchema,
  type ApprovalsDefinition,
  excludedWords,
  type GroupDefinition,
} from './approvals/approvals-schema.js';
import { loadApprovals, lockDecisions, type LoadedApprovals } from './approvals/approvals.repository.js';
import { judgeAction } from './approvals/judge-approvals.js';
import { expressionsOf } from '../linked-reads.js';
import { requirementType } from '../requirement.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { checkDistinct, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type ActionDefinition } from '../../workflows/model/action-definition.js';
import { draftSchema } from '../../workflows/model/draft-schema.js';

export const approvals = requirementType<typeof approvalsSchema, LoadedApprovals | undefined>(
  approvalsSchema,
  {
    check: checkApprovals,
    async load(db, tasks, actionIds) {
      const loaded = new Map<string, LoadedApprovals>();
      for (const workflow of new Set(tasks.map(({ scope }) => scope.workflow))) {
        const plans = actionIds.flatMap((id) => approvalsOf(workflow, id) ?? []);
        if (plans.length === 0) continue;
        const ids = tasks.flatMap(({ scope, task }) => (scope.workflow === workflow ? [task.id] : []));
        // Locks the decisions, so that they do not change before the execution ends.
        if (db.queryRunner) await lockDecisions(db, workflow, ids, plans);
        for (const [id, one] of await loadApprovals(db, workflow, ids, plans)) loaded.set(id, one);
      }
      return loaded;
    },
    expressions: ({ of }, schema) => expressionsOf(of, schema),
    compile(_, schema, actionId) {
      return (context, loaded) => {
        const plan = approvalsOf(context.scope.workflow, actionId);
        // If the task has been deleted, there is no data. Other code reports the deletion.
        if (!plan || !loaded) return [];
        const { groups } = judgeAction(plan, context, loaded);
        const incomplete = groups.filter(({ isComplete }) => !isComplete);
        const messages = incomplete.flatMap((group) => messagesOfGroup(group, schema));
        return messages.map((message) => ({ message, isOfApprovals: true }));
      };
    },
  },
);

function checkApprovals(wanted: ApprovalsDefinition, scope: WorkflowScope, report: Report): void {
  for (const group of wanted.of) checkGroup(group, scope, report);
  const ids = wanted.of.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another group', report);
}

function checkGroup(group: GroupDefinition, scope: WorkflowScope, report: Report): void {
  const { roles, users, field, not, when } = group;
  if (!roles && !users && field === undefined)
    report(group, 'id', 'does not say who may approve: write roles, users or field');
  if (field !== undefined) checkPersonField(group, 'field', field, scope, report);
  not?.forEach((word, index) => {
    if (!isWord(word)) checkPersonField(not, index, word, scope, report);
  });
  if (when !== undefined) checkCondition(when, scope, report.at(group, 'when'));
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

/** Reports asked fields that an approval covers or reads, because people fill them in after the approval. */
export function checkAskedOfApprovals(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  const { fields = [], requirements } = action;
  if (fields.length === 0 || !('approvals' in requirements)) return;
  for (const { id, covers, reads } of compileApprovals(action, draftSchema(scope))?.groups ?? []) {
    const isEverything = covers.includes(EVERYTHING);
    // In a draft, the id of a field is its name.
    for (const asked of fields.filter(({ field }) => isEverything || [...covers, ...reads].includes(field))) {
      const remedy = `let another action ask for it${isEverything ? ', or write covers without it' : ''}`;
      const message = `is approved by ${id}, so nobody can be asked for ${asked.field} afterwards: ${remedy}`;
      report(asked, 'field', message);
    }
  }
}
