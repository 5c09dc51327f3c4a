import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../../common/database/leftovers.js';
import { sql } from '../../../common/database/sql.js';
import { type ReceivedHookEntity } from './received-hook.entity.js';
import { recordEvent } from '../../../events/record-event.js';
import { RuleStateEntity } from '../rule-state.entity.js';
import { type RulePlace } from '../rule-states.repository.js';

interface NewHook extends Readonly<Pick<ReceivedHookEntity, 'webhookId' | 'body'>> {
  readonly rule: RulePlace;
  readonly request: string | undefined;
}

/** Stores a body and records an event, unless the rule got the same `webhookId` in the last 24 hours. */
export async function recordHook(db: EntityManager, hook: NewHook): Promise<void> {
  const { rule, webhookId, body, request } = hook;
  const { workspaceId, workflowId, ruleId } = rule;
  await db.transaction(async (tx) => {
    const once = [workspaceId, workflowId, ruleId, webhookId];
    if (webhookId !== null) await sql(tx, endOld, once);
    const [kept] = await sql<{ id: string }>(tx, keep, [...once, body]);
    if (!kept) return;
    const about = { rule: ruleId, webhook_id: webhookId, hook: kept.id };
    await recordEvent(tx, {
      workspaceId,
      type: 'hook.received',
      workflowId,
      origin: { request },
      about,
    });
  });
}

const endOld = {
  name: 'end-old-hook',
  text: `
    UPDATE received_hooks SET webhook_id = NULL
    WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3 AND webhook_id = $4
      AND received_at < service_now() - interval '24 hours'`,
};

const keep = {
  name: 'keep-hook',
  text: `
    INSERT INTO received_hooks (workspace_id, workflow_id, rule_id, webhook_id, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (workspace_id, workflow_id, rule_id, webhook_id) WHERE webhook_id IS NOT NULL DO NOTHING
    RETURNING id`,
};

export const oldHooks: Leftovers = {
  table: 'received_hooks',
  key: 'id',
  isOver: `received_at < service_now() - interval '7 days'`,
  most: 500,
};

export async function ruleOfToken(db: EntityManager, hookToken: string): Promise<RulePlace | null> {
  return shape.test(hookToken) ? db.findOneBy(RuleStateEntity, { hookToken }) : null;
}

const shape = /^[\w-]{22}$/;
