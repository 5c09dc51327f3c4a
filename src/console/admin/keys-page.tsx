import { isPast } from '../../access/api-keys.js';
import { ApiKeysService, type KeyOfWorkspace } from '../../access/api-keys.service.js';
import { startOfDay } from '../../common/calendar.js';
import { keyScopes } from '../../common/column-values.js';
import { FieldErrors } from '../../common/field-errors.js';
import { Badge } from '../parts/badge.js';
import { Day, Instant, instantAt } from '../parts/time.js';
import { nameOfPerson } from '../reader.js';
import { type Administrator, type AdminLine, type AdminOperation, adminPath, type AdminPage, type AdminRequest, type FormControl, originOf, type ThingPage } from './admin-page.js'; // prettier-ignore

const lead = 'A program uses the API with a key. The key is shown only once, when it is created.';

/** The API keys of programs, with their rights and last use. The secret of a new key is shown once. */
export const keysPage: AdminPage = {
  path: 'keys',
  one: 'key',
  isOfWorkspace: true,
  title: 'API keys',
  icon: 'lock',
  empty: ['No active keys', lead],
  filters: () => [
    { name: 'state', label: 'State', initial: 'active', options: [['active', 'Active'], ['inactive', 'Inactive']] }, // prettier-ignore
  ],
  async read({ reader, get }, { state }) {
    const keys = await get(ApiKeysService).list(reader.workspace.id);
    const shown = keys.filter((key) => state === undefined || isInForce(key) === (state === 'active'));
    return { lines: shown.map((key) => keyLine(key, reader)), count: shown.length };
  },
  create: ({ reader, get }) => ({
    title: 'Create key',
    lead,
    controls: newKeyControls,
    async run({ form }) {
      const errors = new FieldErrors();
      const name = form.get('name')?.trim() ?? '';
      const expiresAt = readExpiry(form, reader, errors);
      const wanted = { name, scope: form.get('scope') ?? '', expiresAt };
      const made = await get(ApiKeysService).make(reader.workspace.id, wanted, errors, originOf(reader));
      const about = 'Copy the key now, and give it only to its program. The key is not shown again.';
      return { key: [made.id], secret: { title: `The key of ${name}`, value: made.secret, about } };
    },
  }),
  async open([id = ''], asked) {
    const key = await asked.get(ApiKeysService).find(asked.reader.workspace.id, id);
    return key && { page: keyPage(key, asked.reader), operations: operationsOn(key, asked) };
  },
};

const keyLine = (key: KeyOfWorkspace, reader: Administrator): AdminLine => ({
  href: adminPath('keys', key.id),
  state: <Badge tone={key.scope === 'admin' ? 'accent' : 'plain'}>{key.scope}</Badge>,
  title: key.name,
  under: limitsOf(key, reader).map(([name, limit]) => <span class="muted">{`${name}: ${limit}`}</span>),
  asides: [<span class={isInForce(key) ? '' : 'muted'}>{stateOf(key)}</span>],
  due: <>Last used: {lastUse(key)}</>,
});

const keyPage = (key: KeyOfWorkspace, reader: Administrator): ThingPage => ({
  title: key.name,
  badge: <Badge tone={isInForce(key) ? 'good' : 'plain'}>{isInForce(key) ? 'Active' : 'Inactive'}</Badge>,
  facts: [
    ['Scope', key.scope],
    ...limitsOf(key, reader),
    ['State', stateOf(key)],
    ['Last used', lastUse(key)],
    ['Created', <Instant at={key.createdAt} />],
    ['ID', <code>{key.id}</code>],
  ],
});

const operationsOn = (key: KeyOfWorkspace, { reader, get }: AdminRequest) =>
  ({
    revoke: isInForce(key) && {
      title: 'Revoke',
      look: 'danger',
      asks: {
        title: `Revoke “${key.name}”?`,
        text: <p>Programs that use the key lose access at once. This cannot be undone.</p>,
      },
      run: () => get(ApiKeysService).revoke(reader.workspace.id, key.id, originOf(reader)),
    },
  }) satisfies Record<string, AdminOperation | false>;

function isInForce({ revokedAt, expiresAt }: KeyOfWorkspace): boolean {
  return !revokedAt && !isPast(expiresAt);
}

function limitsOf({ narrowing, userId }: KeyOfWorkspace, { workspace }: Administrator): [string, string][] {
  const { creates, workflows, actions, fields } = narrowing ?? {};
  const user = userId === null ? undefined : workspace.users.get(userId);
  const names = new Map([...workspace.workflows.values()].map(({ slug, name }) => [slug, name]));
  const named = [
    ['Only creates tasks', creates && 'yes'],
    ['Workflows', workflows?.map((slug) => names.get(slug) ?? slug).join(', ')],
    ['Actions', actions?.join(', ')],
    ['Fields', fields?.join(', ')],
    ['Acts as', user && nameOfPerson(user)],
  ] as const;
  return named.flatMap(([name, limit]): [string, string][] => (limit ? [[name, limit]] : []));
}

function stateOf({ revokedAt, expiresAt }: KeyOfWorkspace) {
  const at = revokedAt ?? expiresAt;
  if (!at) return 'Active';
  return (
    <>
      {revokedAt ? 'Revoked' : isPast(at) ? 'Expired' : 'Until'} <Instant at={at} />
    </>
  );
}

const lastUse = ({ lastUsedOn }: KeyOfWorkspace) =>
  lastUsedOn === null ? 'never' : <Day day={lastUsedOn} />;

const newKeyControls: readonly FormControl[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'The purpose of the key, such as the name of the program.',
    isRequired: true,
    ask: { by: 'line', maxLength: 100 },
  },
  {
    name: 'scope',
    label: 'Scope',
    hint: 'The key reaches every task of the workspace. “wts key create” makes keys that reach less.',
    ask: { by: 'option', options: keyScopes, isRequired: true },
  },
  {
    name: 'expires',
    label: 'Valid until',
    hint: 'The key expires at the start of this day. A key without a day never expires.',
    ask: { by: 'day' },
  },
];

/**
 * Returns the start of the day on which the key expires, or null if the form names no day. Adds an error if
 * the day does not begin in the future.
 */
function readExpiry(form: URLSearchParams, { timeZone }: Administrator, errors: FieldErrors): Date | null {
  const day = form.get('expires') ?? '';
  if (day === '') return null;
  const at = new Date(startOfDay(day) ? instantAt(timeZone, `${day}T00:00`) : NaN);
  if (Number.isNaN(at.getTime()) || isPast(at)) errors.add('expires', 'is not a day in the future');
  return at;
}
