import { actionsIn } from '../workflows/model/action-definition.js';
import { type EntityManager } from 'typeorm';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { type KeyScope, type Narrowing } from '../common/column-values.js';
import { type ApiKeyEntity } from './api-key.entity.js';
import { suggested } from '../common/did-you-mean.js';
import { type Message, say } from '../common/message.js';
import { type FieldErrors } from '../common/field-errors.js';
import { narrowableBuiltIns } from '../workflows/model/narrowing.js';
import { loadWorkspaceRows, type WorkspaceRows } from '../workflows/model/workspace-rows.js';

/** The wanted restrictions. An empty list is an error, because it may come from an unset shell variable. */
export interface WantedNarrowing {
  readonly workflows?: string | undefined;
  readonly actions?: string | undefined;
  readonly fields?: string | undefined;
  readonly as?: string | undefined;
  /** Whether the key can only create tasks. */
  readonly creates?: boolean | undefined;
}

/** Parses the restrictions of a key. A name that the current definition does not have is an error. */
export async function readNarrowing(
  db: EntityManager,
  { workspaceId, scope }: { readonly workspaceId: number; readonly scope: KeyScope },
  { as: email, creates = false, ...wanted }: WantedNarrowing,
  errors: FieldErrors,
): Promise<Readonly<Pick<ApiKeyEntity, 'userId' | 'narrowing'>>> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  const lists = Object.entries(wanted).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, namesIn(text)] as const],
  );
  if (!rows || (lists.length === 0 && email === undefined && !creates))
    return { userId: null, narrowing: null };
  if (scope === 'admin') errors.add('scope', 'is admin, and an admin key cannot be narrowed');
  if (creates && scope !== 'write') errors.add('creates', 'needs the scope write');
  if (creates && wanted.actions !== undefined)
    errors.add('creates', 'cannot be combined with actions: such a key starts no action');
  const narrowing: Narrowing = { ...Object.fromEntries(lists), ...(creates && { creates }) };
  const known = namesOf(rows, narrowing);
  for (const [name, names] of lists) {
    if (names.length === 0) errors.add(name, 'is empty');
    for (const one of names)
      if (!known[name as keyof Lists].has(one))
        errors.add(name, unknownName(one, known[name as keyof Lists]));
  }
  const meant = email === undefined ? undefined : toNfc(email.trim()).toLowerCase();
  const user = rows.users.find((one) => one.active && one.email.toLowerCase() === meant);
  if (meant !== undefined && !user) errors.add('as', 'is not a user of this workspace');
  return { userId: user?.id ?? null, narrowing: lists.length === 0 && !user && !creates ? null : narrowing };
}

const namesIn = (text: string): string[] => [
  ...new Set(
    toNfc(text)
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

const unknownName = (name: string, known: ReadonlySet<string>): Message =>
  say`contains an unknown name: ${name}${suggested(name, known)}`;

type Lists = Omit<Narrowing, 'creates'>;

function namesOf(rows: WorkspaceRows, { workflows }: Narrowing): Record<keyof Lists, ReadonlySet<string>> {
  const meant = rows.workflows.filter(({ slug }) => workflows?.includes(slug) ?? true);
  const isIn = (workflowId: number): boolean => meant.some(({ id }) => id === workflowId);
  const ofFields = rows.fields.filter(({ workflowId }) => isIn(workflowId));
  const links = rows.relationships.flatMap(({ fromWorkflowId, fromName, toWorkflowId, toName }) => [
    ...(isIn(fromWorkflowId) ? [fromName] : []),
    ...(isIn(toWorkflowId) ? [toName] : []),
  ]);
  return {
    workflows: new Set(rows.workflows.map(({ slug }) => slug)),
    actions: new Set(meant.flatMap(actionsIn).map(({ id }) => id)),
    fields: new Set([...narrowableBuiltIns, ...ofFields.map(({ name }) => name), ...links]),
  };
}
