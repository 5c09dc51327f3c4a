import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createApiKey, isKeyName, isPast, keysOf, newKeyId, revokeApiKey, rotateApiKey } from '../../auth/api-keys.js'; // prettier-ignore
import { type ApiKeyEntity } from '../../entities/api-key.entity.js';
import { type KeyScope, keyScopes } from '../../entities/column-values.js';
import { startOfDay } from '../../lib/calendar.js';
import { notFound } from '../../lib/errors.js';
import { FieldErrors } from '../../lib/field-errors.js';
import { type Reply } from '../../lib/reply.js';
import { readQuery } from '../../ops/query.js';
import { pageReply, seeOther } from '../page.js';
import { type PageRequest } from '../reader.js';
import { clockIn, instantAt } from '../zone.js';
import { type Filled, refusedForm } from './admin-form.js';
import { AdminLog } from './admin-log.js';
import { type Administrator } from './admin-pages.js';
import { idIn } from './execution-pages.js';
import { NewKeyPage, overlapHours, RotateKeyPage } from './key-forms.js';
import { isInForce, KEYS_PATH, KeysPage, type MadeKey } from './keys-page.js';

/** The pages of keys, and what their forms do, by what the command line calls. */
@Injectable()
export class KeyPages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly log: AdminLog,
  ) {}

  /** `revoke` names the key that is asked about, `revoked` one that just was. */
  async list(to: Administrator, request: PageRequest): Promise<Reply> {
    const query = readQuery(request.originalUrl);
    const keys = await this.keysOf(to);
    const [asked, revoked] = ['revoke', 'revoked'].map((name) =>
      keys.find(({ id }) => id === query.get(name)),
    );
    return pageReply(<KeysPage {...{ to, keys, asked, revoked }} />);
  }

  new(to: Administrator): Reply {
    const values = new URLSearchParams({ scope: 'write' });
    return pageReply(<NewKeyPage to={to} form={{ values, faults: [] }} />);
  }

  /** Makes a key, and shows it this once. */
  async make(to: Administrator, values: URLSearchParams): Promise<Reply> {
    try {
      const wanted = readNewKey(values, to.timeZone);
      const id = newKeyId();
      const { workspaceId } = to.session;
      const secret = await createApiKey(this.dataSource.manager, { workspaceId, ...wanted }, id);
      this.log.note(to, 'make-key', id);
      return await this.showOnce(to, { name: wanted.name, secret });
    } catch (error) {
      return pageReply(<NewKeyPage to={to} form={refusedForm(values, error)} />, { status: 422 });
    }
  }

  async askToRotate(to: Administrator, id: string): Promise<Reply> {
    const key = await this.find(to, id);
    return pageReply(<RotateKeyPage to={to} apiKey={key} form={rotationOf(key, to.timeZone)} />);
  }

  /** Makes a key in place of another, and shows it this once. */
  async rotate(to: Administrator, id: string, values: URLSearchParams): Promise<Reply> {
    const key = await this.find(to, id);
    try {
      const { workspaceId } = to.session;
      const rotation = { ...readRotation(values, to.timeZone), of: { workspaceId } };
      const secret = await rotateApiKey(this.dataSource.manager, key.id, rotation);
      this.log.note(to, 'rotate-key', key.id);
      return await this.showOnce(to, { name: key.name, secret });
    } catch (error) {
      const form = refusedForm(values, error);
      return pageReply(<RotateKeyPage to={to} apiKey={key} form={form} />, { status: 422 });
    }
  }

  async revoke(to: Administrator, named: string): Promise<Reply> {
    const id = idIn(named);
    const { manager } = this.dataSource;
    if (id === undefined || !(await revokeApiKey(manager, id, to.session.workspaceId))) throw notFound();
    this.log.note(to, 'revoke-key', id);
    return seeOther(`${KEYS_PATH}?revoked=${id}`);
  }

  private async showOnce(to: Administrator, made: MadeKey): Promise<Reply> {
    const keys = await this.keysOf(to);
    return pageReply(<KeysPage {...{ to, keys, made, asked: undefined, revoked: undefined }} />);
  }

  /** One in force. */
  private async find(to: Administrator, id: string): Promise<ApiKeyEntity> {
    const key = (await this.keysOf(to)).find((one) => one.id === id && isInForce(one));
    if (!key) throw notFound();
    return key;
  }

  private async keysOf({ session }: Administrator): Promise<ApiKeyEntity[]> {
    return keysOf(this.dataSource.manager, session.workspaceId);
  }
}

interface WantedKey {
  readonly name: string;
  readonly scope: KeyScope;
  readonly expiresAt: Date | null;
}

function readNewKey(values: URLSearchParams, timeZone: string): WantedKey {
  const errors = new FieldErrors();
  const name = (values.get('name') ?? '').trim();
  if (name === '') errors.add('name', 'is required');
  else if (!isKeyName(name)) errors.add('name', 'is not of 1 to 100 characters on one line');
  const scope = keyScopes.find((one) => one === values.get('scope'));
  if (!scope) errors.add('scope', `is not one of: ${keyScopes.join(', ')}`);
  const expiresAt = readExpiry(values, timeZone, errors);
  errors.throwIfAny();
  return { name, scope: scope ?? 'read', expiresAt };
}

function readRotation(
  values: URLSearchParams,
  timeZone: string,
): { overlapMs: number; expiresAt: Date | null } {
  const errors = new FieldErrors();
  const hours = overlapHours.find((one) => String(one) === values.get('overlap'));
  if (hours === undefined) errors.add('overlap', `is not one of: ${overlapHours.join(', ')}`);
  const expiresAt = readExpiry(values, timeZone, errors);
  errors.throwIfAny();
  return { overlapMs: (hours ?? 0) * 3_600_000, expiresAt };
}

/** The beginning of the day that was entered; null where it was none. */
function readExpiry(values: URLSearchParams, timeZone: string, errors: FieldErrors): Date | null {
  const day = values.get('expires') ?? '';
  if (day === '') return null;
  const at = new Date(startOfDay(day) ? instantAt(timeZone, `${day}T00:00`) : NaN);
  if (Number.isNaN(at.getTime())) errors.add('expires', 'is not a date in YYYY-MM-DD format');
  else if (isPast(at)) errors.add('expires', 'is not in the future');
  return at;
}

/** What is proposed: a new key that lives as long as the old one was to. */
function rotationOf({ createdAt, expiresAt }: ApiKeyEntity, timeZone: string): Filled {
  const values = new URLSearchParams({ overlap: '24' });
  if (expiresAt) {
    const life = Math.max(expiresAt.getTime() - createdAt.getTime(), DAY_MS);
    const end = new Date(Math.min(Date.now() + life, LAST_DAY));
    values.set('expires', clockIn(timeZone, end).slice(0, 10));
  }
  return { values, faults: [] };
}

const DAY_MS = 86_400_000;
/** A day before years take more than four digits, in any zone. */
const LAST_DAY = Date.UTC(9999, 11, 30);
