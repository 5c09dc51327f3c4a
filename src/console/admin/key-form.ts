import { en } from './words.js';
import { type EntityManager } from 'typeorm';
import { isKeyName, isPast } from '../../auth/api-keys.js';
import { type NarrowedKey, readNarrowing } from '../../auth/narrow-key.js';
import { type ApiKeyEntity } from '../../auth/api-key.entity.js';
import { type KeyScope, keyScopes } from '../../database/column-values.js';
import { isWrittenAsDay, startOfDay } from '../../lib/calendar.js';
import { noSuchDay } from '../../schema/types/date.js';
import { FieldErrors } from '../../lib/field-errors.js';
import { say } from '../../lib/message.js';
import { clockIn, instantAt } from '../zone.js';
import { type AdminFormView, type Filled, askedFor } from './admin-form.js';
import { type Administrator } from './admin-pages.js';
import { keyPath, KEYS_PATH } from './keys-page.js';

/** Asks what a new key is for, what it may do and how long. */
export function newKeyForm(reader: Administrator, form: Filled): AdminFormView {
  const { keys, key: words } = en.admin;
  return {
    reader,
    form,
    above: { href: KEYS_PATH, name: keys },
    title: words.make,
    lead: words.lead,
    action: KEYS_PATH,
    button: words.create,
    controls: [
      { ...askedFor(words, 'name'), by: 'line', maxLength: 100, isRequired: true },
      {
        ...askedFor(words, 'scope'),
        by: 'choice',
        options: keyScopes.map((scope) => [scope, words.scopes[scope] ?? scope]),
      },
      { ...askedFor(words, 'expires'), by: 'day' },
      {
        name: 'creates',
        ...words.narrowing.creates,
        by: 'choice',
        options: [
          ['', en.no],
          ['true', en.yes],
        ],
      },
      ...narrowingControls.map((name) => ({
        name,
        ...words.narrowing[name],
        by: 'line' as const,
        maxLength: 2000,
      })),
    ],
  };
}

/** What a new key may be narrowed to, as the form names it. */
const narrowingControls = ['workflows', 'actions', 'fields', 'as'] as const;

/** Asks how long the old key lives on beside the new one, and how long that lives. */
export function rotationForm(reader: Administrator, form: Filled, key: ApiKeyEntity): AdminFormView {
  const { keys, key: words } = en.admin;
  return {
    reader,
    form,
    above: { href: KEYS_PATH, name: keys },
    title: words.rotateTitle(key.name),
    lead: words.rotateLead,
    action: `${keyPath(key)}/rotate`,
    button: words.rotate,
    controls: [
      {
        ...askedFor(words, 'overlap'),
        by: 'choice',
        options: overlapHours.map((hours) => [String(hours), words.overlaps(hours)]),
      },
      { ...askedFor(words, 'expires'), by: 'day' },
    ],
  };
}

/** For how many hours an old key may live on; 0 ends it at once. */
const overlapHours: readonly number[] = [24, 1, 168, 0];

/** What a form asks for. */
interface WantedKey extends NarrowedKey {
  readonly name: string;
  readonly scope: KeyScope;
  readonly expiresAt: Date | null;
}

/** Reads the form of a new key. Throws with all that is wrong. */
export async function readNewKey(
  db: EntityManager,
  workspaceId: number,
  values: URLSearchParams,
  timeZone: string,
): Promise<WantedKey> {
  const errors = new FieldErrors();
  const name = (values.get('name') ?? '').trim();
  if (name === '') errors.add('name', 'is required');
  else if (!isKeyName(name)) errors.add('name', 'is not 1 to 100 characters on one line');
  const scope = keyScopes.find((one) => one === values.get('scope'));
  if (!scope) errors.add('scope', say`is not one of: ${keyScopes.join(', ')}`);
  const expiresAt = readExpiry(values, timeZone, errors);
  const wanted = Object.fromEntries(
    narrowingControls.map((one) => [one, values.get(one)?.trim() || undefined]),
  );
  const of = { workspaceId, scope: scope ?? 'read' };
  const creates = values.get('creates') === 'true';
  const narrowed = await readNarrowing(db, of, { ...wanted, creates }, errors);
  errors.throwIfAny();
  return { name, scope: of.scope, expiresAt, ...narrowed };
}

/** Reads how a key is to be replaced. Throws with all that is wrong. */
export function readRotation(
  values: URLSearchParams,
  timeZone: string,
): { overlapMs: number; expiresAt: Date | null } {
  const errors = new FieldErrors();
  const hours = overlapHours.find((one) => String(one) === values.get('overlap'));
  if (hours === undefined) errors.add('overlap', say`is not one of: ${overlapHours.join(', ')}`);
  const expiresAt = readExpiry(values, timeZone, errors);
  errors.throwIfAny();
  return { overlapMs: (hours ?? 0) * 3_600_000, expiresAt };
}

/** The beginning of the day that was entered; null where it was none. */
function readExpiry(values: URLSearchParams, timeZone: string, errors: FieldErrors): Date | null {
  const day = values.get('expires') ?? '';
  if (day === '') return null;
  const at = new Date(startOfDay(day) ? instantAt(timeZone, `${day}T00:00`) : NaN);
  if (Number.isNaN(at.getTime()))
    errors.add('expires', isWrittenAsDay(day) ? noSuchDay : 'is not a date in YYYY-MM-DD format');
  else if (isPast(at)) errors.add('expires', 'is not in the future');
  return at;
}

/** What is proposed: a new key that lives as long as the old one was to. */
export function rotationOf(
  { createdAt, expiresAt }: ApiKeyEntity,
  { timeZone, now }: Pick<Administrator, 'timeZone' | 'now'>,
): Filled {
  const values = new URLSearchParams({ overlap: '24' });
  if (expiresAt) {
    const life = Math.max(expiresAt.getTime() - createdAt.getTime(), DAY_MS);
    const end = new Date(Math.min(now.getTime() + life, LAST_DAY));
    values.set('expires', clockIn(timeZone, end).slice(0, 10));
  }
  return { values, faults: [] };
}

const DAY_MS = 86_400_000;
/** A day before years take more than four digits, in any zone. */
const LAST_DAY = Date.UTC(9999, 11, 30);
