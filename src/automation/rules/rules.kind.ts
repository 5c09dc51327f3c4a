import { type EntityManager } from 'typeorm';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect } from '../../workflows/model/effect.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { namingLeaving } from '../../workflows/model/leaving-users.js';
import { setRules } from './rule-states.repository.js';
import { checkRule } from './check-rule.js';
import { rule } from './rule-schema.js';

export const rules = kind({
  name: 'rule',
  list: 'rules',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(rule, {
    title: 'Rules',
    description: 'Rules start actions when events happen; in order.',
    maxItems: 200,
  }),
  check: checkRule,
  effects: effectsOfLeaving,
  async settle(tx, { workspaceId, definition, workflowIds }): Promise<void> {
    const wanted = definition.workflows.flatMap((workflow) => {
      const workflowId = workflowIds.get(workflow.id);
      return workflowId === undefined ? [] : rules.in(workflow).map(({ id }) => ({ workflowId, ruleId: id }));
    });
    await setRules(tx, workspaceId, wanted);
  },
});

function effectsOfLeaving(_db: EntityManager, changed: ChangedDefinition): Effect[] {
  const said = ['acts as them and fails', 'act as them and fail'] as const;
  return namingLeaving(changed, 'rule', said, rules.in, ({ as }) => [as]);
}
