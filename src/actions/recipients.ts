import Type from 'typebox';
import { say } from '../common/message.js';
import { excerpt } from '../common/wording.js';
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
import { type ActionContext } from './action-context.js';
import { type Run, StepFailed } from './step.js';
import { referredTo, renderText, shown } from './step-values.js';

type Recipient = string | { readonly field: string } | { readonly role: string };

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
    ...refers('role', { but: [unnamed] }),
    title: 'Role',
    description: 'The id of a role of the workflow. All members of the role get the message.',
    type: 'string',
    minLength: 1,
  },
};
const oneWay = { properties: ways, additionalProperties: false, minProperties: 1, maxProperties: 1 };

export const recipientsSetting = readAs(
  Type.Unsafe<Recipients>({
    title: 'To',
    description: `One of: an address, which may be a template such as {{Assigned To}}; { field: NAME } with a person or email field; { role: ID } with a role of the workflow. Or a list of these, with at most ${MAX_RECIPIENTS} recipients. Each recipient gets a separate message. Blank recipients and inactive users are left out.`,
    type: ['string', 'object', 'array'],
    minLength: 1,
    ...oneWay,
    items: {
      title: 'Recipient',
      description: 'An address, a field or a role.',
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
  const { field, role } = asMapping(value);
  return takePlace(value, field === undefined ? { role: asText(role) } : { field: asText(field) });
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
  });
}

const neither = 'is neither a person field nor an email field';

function checkAddress(text: string, scope: WorkflowScope, tell: Tell): void {
  const template = checkTemplate(text, scope, tell);
  if (template?.names.size === 0 && template.secrets.size === 0 && !isAddress(text.trim()))
    tell('is not an e-mail address');
}

export function isAddress(text: string): boolean {
  return !(email.parse(text, { users: nobody }) instanceof Invalid);
}

const nobody: Users = { find: () => undefined, get: () => undefined, ranked: [] };

/** Returns each address once, ignoring case. Throws if there are none or too many, or if one is invalid. */
export function addressesOf(to: Recipients, { context }: Pick<Run, 'context'>): string[] {
  const { users } = context.scope.workflow.schema;
  const found = new Map<string, string>();
  for (const text of listOf(to).flatMap((recipient) => textsOf(recipient, context))) {
    const address = text.trim();
    if (address === '' || users.find(address)?.active === false) continue;
    if (!isAddress(address)) throw new StepFailed('one of its recipients is not an e-mail address');
    found.set(address.toLowerCase(), found.get(address.toLowerCase()) ?? address);
  }
  if (found.size === 0) throw new StepFailed(say`has no recipient: no usable address in ${placesOf(to)}`);
  if (found.size > MAX_RECIPIENTS) throw new StepFailed(say`has more than ${MAX_RECIPIENTS} recipients`);
  return [...found.values()];
}

/** Returns where a step looks for its recipients, such as `Contact E-mail or the role legal`. */
function placesOf(to: Recipients): string {
  const places = listOf(to).map((recipient) => {
    if (typeof recipient === 'string') return recipient;
    return 'field' in recipient ? recipient.field : `the role ${recipient.role}`;
  });
  return excerpt(places.join(' or '));
}

function textsOf(recipient: Recipient, context: ActionContext): string[] {
  if (typeof recipient === 'string') return [renderText(recipient, context)];
  if ('field' in recipient) return [shown(referredTo(recipient.field, context))];
  return context.scope.workflow.members
    .filter((member) => rolesNamed(member).includes(recipient.role))
    .map(({ email }) => email);
}
