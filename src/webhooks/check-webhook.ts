import { nameMeant, nearNameMeant } from '../common/did-you-mean.js';
import { type WebhookDefinition } from './webhook-definition.js';
import { checkCondition, checkSecretTemplate, keysOfTask } from '../workflows/model/check/formulas.js';
import { checkHeaders } from '../actions/check/headers.js';
import {
  type Report,
  unnamed,
  type WorkflowScope,
  type WorkspaceScope,
  type Tell,
} from '../workflows/model/check/kit.js';
import { readUrl } from '../../packages/safe-http/read-url.js';
import { type Message, say } from '../common/message.js';

export function checkWebhook(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  const steps = checkInSteps(webhook, scope, report);
  while (steps.next().done !== true) continue;
}

/** In steps, because the condition takes milliseconds for each workflow that it does not fit. */
export function* checkInSteps(
  webhook: WebhookDefinition,
  scope: WorkspaceScope,
  report: Report,
): Generator<undefined> {
  if (webhook.url !== '' && !isUrl(webhook.url))
    report(webhook, 'url', 'is not an absolute http or https URL without a password');
  checkWorkflows(webhook, scope, report);
  checkFields(webhook, scope, report);
  yield* checkWhen(webhook, scope, report);
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
    const hint = meant(id, index, scope.workflows);
    report(workflows, index, say`is not a workflow of this workspace: ${id}${hint}`);
  });
}

function scopesOf({ workflows }: WebhookDefinition, scope: WorkspaceScope): WorkflowScope[] {
  const named = workflows?.flatMap((id) => scope.workflows.get(id) ?? []);
  return named ?? [...scope.workflows.values()];
}

/** A key is valid if at least one of the workflows has it. */
function checkFields(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): void {
  const { fields } = webhook;
  const scopes = scopesOf(webhook, scope);
  if (!fields || scopes.length === 0) return;
  const known = new Set(scopes.flatMap(keysOfTask));
  fields.forEach((name, index) => {
    if (known.has(name) || known.has(unnamed)) return;
    report(fields, index, say`is not a key of the tasks in its events: ${name}${meant(name, index, known)}`);
  });
}

/** There may be thousands of names on both sides, so only the first ones get a suggestion. */
function meant(name: string, index: number, known: { keys(): Iterable<string> }): Message {
  return index < 3 ? nearNameMeant(name, known) : nameMeant(name, known);
}

/** The condition has to fit one of the workflows. If it fits none, its faults in the first one are reported. */
function* checkWhen(webhook: WebhookDefinition, scope: WorkspaceScope, report: Report): Generator<undefined> {
  const { when } = webhook;
  if (when === undefined) return;
  let first: readonly Message[] | undefined;
  for (const workflow of scopesOf(webhook, scope)) {
    yield undefined;
    const faults: Message[] = [];
    const note: Tell = (message, as = 'fault') => {
      if (as === 'fault') faults.push(message);
    };
    const other = { name: 'before', workflow } as const;
    const expression = checkCondition(when, workflow, note, other);
    if (expression && expression.linked.size > 0) faults.push('reads linked tasks, which are not in events');
    if (faults.length === 0) return;
    first ??= faults;
  }
  for (const message of first ?? []) report(webhook, 'when', message);
}
