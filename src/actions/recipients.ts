import Type from 'typebox';
import { compileTemplate } from '../workflows/expressions/template.js';
import { say } from '../common/message.js';
import { Invalid } from '../workflows/fields/invalid.js';
import { email } from '../workflows/fields/types/email.js';
import { type Users } from '../workflows/fields/field-type.js';
import { rolesNamed } from '../workflows/model/role-definition.js';
import { checkFieldOfType, checkTemplate } from '../workflows/model/check/formulas.js';
import { type Report, unnamed, type WorkflowScope, type Tell } from '../workflows/model/check/kit.js';
import {
  asMapping,
  asText,
  isMapping,
  type JsonValue,
  readAs,
  takePlace,
} from '../workflows/model/definition-reader.js';
import { refers } from '../workflows/model/marks.js';
import { openIdsOf } from './requirements/approvals/read-approvals.js';
import { type Run, StepFailed } from './step.js';
import { referredTo, shown } from './step-values.js';

type Recipient =
  string | { readonly field: string } | { readonly role: string } | { readonly approvers: string };

type Recipients = Recipient | readonly Recipient[];

const MAX_RECIPIENTS = 50;

const ways = {
  field: {
    ...refers('field', { isCheckedThere: true }),
    title: 'Field',
    description: 'A person or email field of the task.',
    type: 'string',
  },
  role: {
    ...refers('role'),
    title: 'Role',
    description: 'The id of a role of the workflow: all of its members.',
    type: 'string',
  },
  approvers: {
    ...refers('action', { but: [unnamed] }),
    title: 'Approvers',
    description: 'The id of an action with approvals: all users who may decide on it and have not.',
    type: 'string',
    minLength: 1,
  },
};
const oneWay = { properties: ways, additionalProperties: false, minProperties: 1, maxProperties: 1 };

export const recipientsSetting = readAs(
  Type.Unsafe<Recipients>({
    title: 'To',
    description: `An address, which may be a template such as {{Assigned To}}, { field: NAME } of a person or email field, { role: ID } of the workflow, or { approvers: ID } of an action; or a list of these. Each recipient gets a separate message, ${MAX_RECIPIENTS} at most. Blank recipients and inactive users are left out.`,
    type: ['string', 'object', 'array'],
    minLength: 1,
    ...oneWay,
    items: {
      title: 'Recipient',
      description: 'One of these.',
      type: ['string', 'object'],
      minLength: 1,
      ...oneWay,
    },
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  }),
  (value) => (Array.isArray(value) ? takePlace(value, value.map(readRecipient)) : readRecipient(value)),
);

function readRecipient(value: JsonValue): Recipient {
  if (!isMapping(value)) return asText(value);
  const { field, role, approvers } = asMapping(value);
  if (field !== undefined) return takePlace(value, { field: asText(field) });
  return takePlace(value, role === undefined ? { approvers: asText(approvers) } : { role: asText(role) });
}

const listOf = (to: Recipients): readonly Recipient[] =>
  Array.isArray(to) ? (to as readonly Recipient[]) : [to as Recipient];

export function checkRecipients(
  step: { readonly to: Recipients },
  scope: WorkflowScope,
  report: Report,
): void {
  listOf(step.to).forEach((recipient, index) => {
    const tell = Array.isArray(step.to) ? report.at(step.to, index) : report.at(step, 'to');
    if (typeof recipient === 'string') checkAddress(recipient, scope, tell);
    else if ('field' in recipient) checkFieldOfType(recipient, ['person', 'email'], neither, scope, report);
    else if ('approvers' in recipient) checkApprovers(recipient, scope, report);
  });
}

const neither = 'is neither a person field nor an email field';

function checkAddress(text: string, scope: WorkflowScope, tell: Tell): void {
  const template = checkTemplate(text, scope, tell);
  if (template?.names.size === 0 && template.secrets.size === 0 && !isAddress(text.trim()))
    tell('is not an e-mail address');
}

function checkApprovers(
  recipient: { readonly approvers: string },
  { workflow: { actions } }: WorkflowScope,
  report: Report,
): void {
  const action = actions.find(({ id }) => id === recipient.approvers);
  if (action && !('approvals' in action.requirements))
    report(recipient, 'approvers', `needs no approvals: ${action.id}`);
}

export function isAddress(text: string): boolean {
  return !(email.parse(text, { users: nobody }) instanceof Invalid);
}

const nobody: Users = { find: () => undefined, get: () => undefined, ranked: [] };

/** Whether the recipients can only be found during the transaction of the execution. */
export function namesApprovers(to: Recipients): boolean {
  return listOf(to).some((recipient) => typeof recipient === 'object' && 'approvers' in recipient);
}

/** The addresses, without repeated ones, ignoring case; throws `StepFailed` if there are none or too many. */
export async function addressesOf(to: Recipients, run: Pick<Run, 'context' | 'tx'>): Promise<string[]> {
  const { users } = run.context.scope.workflow.schema;
  const found = new Map<string, string>();
  const texts: string[] = [];
  for (const recipient of listOf(to)) texts.push(...(await textsOf(recipient, run)));
  for (const text of texts) {
    const address = text.trim();
    if (address === '' || users.find(address)?.active === false) continue;
    if (!isAddress(address)) throw new StepFailed('one of its recipients is not an e-mail address');
    found.set(address.toLowerCase(), found.get(address.toLowerCase()) ?? address);
  }
  if (found.size === 0) throw new StepFailed('has no recipient');
  if (found.size > MAX_RECIPIENTS) throw new StepFailed(say`has more than ${MAX_RECIPIENTS} recipients`);
  return [...found.values()];
}

async function textsOf(
  recipient: Recipient,
  { context, tx }: Pick<Run, 'context' | 'tx'>,
): Promise<string[]> {
  if (typeof recipient === 'string')
    return [compileTemplate(recipient).render(({ name }) => shown(referredTo(name, context)))];
  if ('field' in recipient) return [shown(referredTo(recipient.field, context))];
  const { schema, members } = context.scope.workflow;
  if ('approvers' in recipient) {
    const ids = tx ? await openIdsOf(tx, context.scope, context.task, recipient.approvers) : [];
    return ids.map((id) => schema.users.get(id)?.email ?? '');
  }
  return members.filter((member) => rolesNamed(member).includes(recipient.role)).map(({ email }) => email);
}
