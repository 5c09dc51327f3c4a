import { isPast } from '../../access/api-keys.js';
import { ApiKeysService, type KeyOfWorkspace, type MadeKey } from '../../access/api-keys.service.js';
import { keyScopes } from '../../common/column-values.js';
import { isWrittenAsDay, startOfDay } from '../../common/calendar.js';
import { FieldErrors } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { noSuchDay } from '../../workflows/fields/types/date.js';
import { Badge } from '../parts/badge.js';
import { Day, Instant, localTimeIn, instantAt } from '../parts/time.js';
import { nameOfPerson } from '../reader.js';
import { type Administrator, adminPath, type AdminPage, type FormControl, originOf } from './admin-page.js'; // prettier-ignore

/** The keys of programs, with their rights and last use. The key itself is shown once, when it is made. */
export const keysPage: AdminPage<KeyOfWorkspace> = {
  path: 'keys',
  one: 'key',
  isOfWorkspace: true,
  title: 'API keys',
  icon: 'lock',
  empty: [
    'No keys yet',
    'A program uses the API with a key. The key is shown only once, when it is created.',
  ],
  filters: () => [
    { name: 'state', label: 'State', initial: 'active', options: [['active', 'Active'], ['inactive', 'Inactive']] }, // prettier-ignore
  ],
  async rows({ reader, get }, { state }) {
    const keys = await get(ApiKeysService).list(reader.workspace.id);
    const shown = keys.filter((key) => state === undefined || isInForce(key) === (state === 'active'));
    return { shown, count: shown.length };
  },
  line: (key, { reader }) => ({
    href: adminPath('keys', key.id),
    state: <Badge tone={key.scope === 'admin' ? 'accent' : 'plain'}>{key.scope}</Badge>,
    title: key.name,
    under: limitsOf(key, reader).map(([name, limit]) => <span class="muted">{`${name}: ${limit}`}</span>),
    asides: [<span class={isInForce(key) ? '' : 'muted'}>{stateOf(key)}</span>],
    due: <>Last used: {lastUse(key)}</>,
  }),
  find: ([id = ''], { reader, get }) => get(ApiKeysService).find(reader.workspace.id, id),
  show: (key, { reader }) => ({
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
  }),
  create: {
    title: 'New key',
    form: () => ({
      title: 'New key',
      lead: 'A program uses the API with a key. The key is shown only once, when it is created.',
      button: 'Create key',
      controls: newKeyControls,
      values: new URLSearchParams({ scope: 'write' }),
    }),
    async run(_, { reader, get, form }) {
      const errors = new FieldErrors();
      const expiresAt = readExpiry(form, reader, errors);
      const limitOf = (one: string): string | undefined => form.get(one)?.trim() || undefined;
      const narrowing = {
        creates: form.get('creates') === 'true',
        workflows: limitOf('workflows'),
        actions: limitOf('actions'),
        fields: limitOf('fields'),
        as: limitOf('as'),
      };
      const name = form.get('name')?.trim() ?? '';
      const wanted = { name, scope: form.get('scope') ?? '', expiresAt, narrowing };
      return shownOnce(
        name,
        await get(ApiKeysService).make(reader.workspace.id, wanted, errors, originOf(reader)),
      );
    },
  },
  operations: {
    rotate: {
      title: 'Rotate',
      isAllowed: isInForce,
      form: (key, { reader }) => ({
        title: `Rotate “${key.name}”`,
        lead: 'A new key with the same name, scope and limits replaces the old one.',
        button: 'Rotate',
        controls: [
          {
            name: 'overlap',
            label: 'The old key stays valid',
            hint: 'Until then both keys work, so that the program can switch.',
            ask: { by: 'option', options: [...overlaps.keys()], isRequired: true },
          },
          expiryControl,
        ],
        values: new URLSearchParams({
          expires: key.expiresAt ? localTimeIn(reader.timeZone, key.expiresAt).slice(0, 10) : '',
        }),
      }),
      async run(key, { reader, get, form }) {
        const errors = new FieldErrors();
        const hours = overlaps.get(form.get('overlap') ?? '');
        if (hours === undefined)
          errors.add('overlap', say`is not one of: ${[...overlaps.keys()].join(', ')}`);
        const expiresAt = readExpiry(form, reader, errors);
        errors.throwIfAny();
        const rotation = { overlapMs: (hours ?? 0) * 3_600_000, expiresAt };
        return shownOnce(
          key.name,
          await get(ApiKeysService).rotate(reader.workspace.id, key.id, rotation, originOf(reader)),
        );
      },
    },
    revoke: {
      title: 'Revoke',
      look: 'danger',
      isAllowed: isInForce,
      asks: ({ name }) => ({
        title: `Revoke “${name}”?`,
        text: <p>Programs that use it lose access at once. This cannot be undone.</p>,
      }),
      run: ({ id }, { reader, get }) => get(ApiKeysService).revoke(reader.workspace.id, id, originOf(reader)),
      done: () => 'The key is revoked.',
    },
  },
};

function isInForce({ revokedAt, expiresAt }: KeyOfWorkspace): boolean {
  return !revokedAt && !isPast(expiresAt);
}

function limitsOf(
  { narrowing, userId }: KeyOfWorkspace,
  { workspace }: Administrator,
): [name: string, limit: string][] {
  const { creates, workflows, actions, fields } = narrowing ?? {};
  const user = userId === null ? undefined : workspace.users.get(userId);
  const named = [
    ['Only creates tasks', creates && 'yes'],
    ['Workflows', workflows?.map((slug) => workspaceName(workspace, slug)).join(', ')],
    ['Actions', actions?.join(', ')],
    ['Fields', fields?.join(', ')],
    ['Acts as', user && nameOfPerson(user)],
  ] as const;
  return named.flatMap(([name, limit]): [string, string][] => (limit ? [[name, limit]] : []));
}

const workspaceName = ({ workflows }: Administrator['workspace'], slug: string): string =>
  [...workflows.values()].find((workflow) => workflow.slug === slug)?.name ?? slug;

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

const shownOnce = (name: string, { id, secret }: MadeKey) => ({
  key: [id],
  secret: {
    title: `The key of ${name}`,
    value: secret,
    about: 'Copy it now, and give it only to that program: it is not shown again.',
  },
});

const expiryControl: FormControl = {
  name: 'expires',
  label: 'Valid until',
  hint: 'The key expires at the start of this day. If left blank, it never expires.',
  ask: { by: 'day' },
};

const line = { by: 'line', maxLength: 2000 } as const;

const newKeyControls: readonly FormControl[] = [
  {
    name: 'name',
    label: 'Name',
    hint: 'What it is for, such as the name of the program.',
    isRequired: true,
    ask: { by: 'line', maxLength: 100 },
  },
  {
    name: 'scope',
    label: 'Scope',
    hint: 'A key reaches every task of the workspace. Roles bind it only if it acts as a user.',
    ask: { by: 'option', options: keyScopes, isRequired: true },
  },
  expiryControl,
  {
    name: 'creates',
    label: 'Only creates tasks',
    hint: 'For intake: it reads and changes nothing.',
    ask: { by: 'tick' },
  },
  { name: 'workflows', label: 'Workflows', hint: 'The ids of the workflows that it reaches, separated by commas. If left blank, all.', ask: line }, // prettier-ignore
  {
    name: 'actions',
    label: 'Actions',
    hint: 'The ids of the actions that it may start. If left blank, all.',
    ask: line,
  },
  { name: 'fields', label: 'Fields', hint: 'The fields that it may write, including Stage and Assigned To. If left blank, all.', ask: line }, // prettier-ignore
  {
    name: 'as',
    label: 'Acts as',
    hint: 'The key can do what the roles of this user allow.',
    ask: { by: 'person' },
  },
];

const overlaps: ReadonlyMap<string, number> = new Map([
  ['for 24 hours', 24],
  ['for 1 hour', 1],
  ['for 7 days', 168],
  ['no longer', 0],
]);

/** The beginning of the entered day; null if the text is not a day. */
function readExpiry(form: URLSearchParams, { timeZone }: Administrator, errors: FieldErrors): Date | null {
  const day = form.get('expires') ?? '';
  if (day === '') return null;
  const at = new Date(startOfDay(day) ? instantAt(timeZone, `${day}T00:00`) : NaN);
  if (Number.isNaN(at.getTime()))
    errors.add('expires', isWrittenAsDay(day) ? noSuchDay : 'is not a date in YYYY-MM-DD format');
  else if (isPast(at)) errors.add('expires', 'is not in the future');
  return at;
}
