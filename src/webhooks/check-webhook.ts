import { nearNameMeant } from '../common/did-you-mean.js';
import { type WebhookDefinition } from './webhook-definition.js';
import { checkCondition, checkSecretTemplate } from '../workflows/model/check/formulas.js';
import { checkHeaders } from '../actions/check/headers.js';
import { type Report, unnamed, type WorkspaceScope } from '../workflows/model/check/kit.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { say } from '../common/message.js';

export function checkWebhook(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  if (webhook.url !== '' && !isUrl(webhook.url))
    report(webhook, 'url', 'is not an absolute http or https URL without a password');
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
    // Only the first names get a suggestion, because there may be hundreds of unknown and known names.
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
