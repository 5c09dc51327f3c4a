import { type EntityManager } from 'typeorm';
import { type ChangedDefinition } from '../workflows/model/changed-definition.js';
import { type Effect, effectOf } from '../workflows/model/effect.js';
import { type WebhookDefinition, webhook } from './webhook-definition.js';
import { tableOf } from '../workflows/model/stored-rows.js';
import { kind } from '../workflows/model/kind.js';
import { listSetting } from '../workflows/model/schema-parts.js';
import { WebhookEntity } from './webhook.entity.js';
import { beginWebhooks } from './webhooks.repository.js';
import { nearNameMeant } from '../common/did-you-mean.js';
import { checkCondition, checkExpression, checkSecretTemplate } from '../workflows/model/check/formulas.js';
import { checkHeaders } from '../actions/check/headers.js';
import { type Report, scopeOf, unnamed, type WorkspaceScope } from '../workflows/model/check/kit.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { say } from '../common/message.js';

export const webhooks = kind({
  name: 'webhook',
  list: 'webhooks',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(webhook, {
    title: 'Webhooks',
    description: 'Other systems that receive events; identified by id.',
    maxItems: 100,
  }),
  rows: {
    ...tableOf({
      entity: WebhookEntity,
      where: { managedBy: 'definition' },
      columns: {
        id: 'id',
        url: 'url',
        events: 'events',
        workflows: { in: 'workflows', absent: null },
        when: { in: 'when', absent: null },
        headers: { in: 'headers', absent: {} },
      },
    }),
    columns: (one) => ({ managedBy: 'definition', ...webhookColumns(one) }),
  },
  check: checkWebhook,
  /** Makes new webhooks begin at the present end of the feed. */
  async begin(tx, { workspaceId, definition, stored = {} }): Promise<void> {
    const known = new Set(webhooks.in(stored).map(({ id }) => id));
    const added = webhooks.in(definition).flatMap(({ id }) => (known.has(id) ? [] : id));
    if (added.length > 0) await beginWebhooks(tx, workspaceId, added);
  },
  effects: effectsOnConditions,
});

/**
 * Returns a note for each webhook of the API whose condition reads a renamed or removed field. Only a PUT can
 * mend such a condition.
 */
async function effectsOnConditions(
  db: EntityManager,
  { rows, stored, changes }: ChangedDefinition,
): Promise<Effect[]> {
  const lost = changes.filter(({ kind, what }) => what === 'field' && ['rename', 'remove'].includes(kind));
  if (!stored || lost.length === 0) return [];
  const scope = scopeOf(stored);
  const ofApi = await db.findBy(WebhookEntity, { workspaceId: rows.workspace.id, managedBy: 'api' });
  return ofApi.flatMap(({ id, when, workflows }) => {
    const slug = workflows?.[0] ?? '';
    const workflow = scope.workflows.get(slug);
    if (when === null || !workflow) return [];
    const read = checkExpression(when, workflow, () => undefined, { name: 'before', workflow });
    const names = new Set(read ? [...read.fields, ...read.ofOther].map((name) => `${slug} / ${name}`) : []);
    return lost
      .filter(({ name }) => names.has(name))
      .flatMap(({ what, name }) => {
        const isTaken = changes.some((one) => one.kind === 'add' && one.what === what && one.name === name);
        const until = isTaken ? 'will read the new field' : 'gets every event';
        const told = `webhook ${id} of the API reads it, and ${until} until a PUT replaces its \`when\``;
        return effectOf('notes', what, name, 1, told);
      });
  });
}

const absent = { workflows: null, when: null, headers: {} };

export const webhookColumns = (webhook: WebhookDefinition) => ({ ...absent, ...webhook });

export function checkWebhook(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  if (webhook.url !== '' && !isUrl(webhook.url))
    report(webhook, 'url', 'is not a web address that begins with https:// or http:// and has no password');
  checkWorkflows(webhook, scope, report);
  checkWhen(webhook, scope, report);
  const rules = { taken: ownHeaders, template: checkSecretTemplate };
  if (webhook.headers) checkHeaders(webhook.headers, rules, report);
}

const ownHeaders = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

function isUrl(text: string): boolean {
  const url = readUrl(text);
  if (!url) return false;
  const { protocol, username, password, hash } = url;
  return ['http:', 'https:'].includes(protocol) && username + password + hash === '';
}

function checkWorkflows({ workflows }: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  workflows?.forEach((id, index) => {
    if (scope.workflows.has(id) || scope.workflows.has(unnamed)) return;
    // Only the first names get a suggestion: suggestions for hundreds of unknown names would take too long.
    const hint = index < 3 ? nearNameMeant(id, scope.workflows) : '';
    report(workflows, index, say`is not a workflow of this workspace: ${id}${hint}`);
  });
}

function checkWhen(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  const { when, workflows = [] } = webhook;
  if (when === undefined) return;
  const [id = '', ...others] = workflows;
  if (id === '' || others.length > 0) {
    report(webhook, 'when', 'needs exactly one workflow in `workflows`, whose tasks it reads');
    return;
  }
  const workflow = scope.workflows.get(id);
  if (!workflow) return;
  const other = { name: 'before', workflow } as const;
  const expression = checkCondition(when, workflow, report.at(webhook, 'when'), other);
  if (expression && expression.linked.size > 0)
    report(webhook, 'when', 'reads linked tasks, which are not in events');
}
