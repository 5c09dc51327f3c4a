import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { Injectable } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { type ScopedStatement } from '../../packages/citus/statement.js';
import { Refusal } from '../common/errors.js';
import { sql } from '../common/database/sql.js';

/** Limits mails, forms and failed sign-ins. PostgreSQL counts them, for all processes together. */
@Injectable()
export class Attempts {
  private readonly failures: RateLimiterAbstract;
  private readonly mails: RateLimiterAbstract;
  private readonly confirmations: RateLimiterAbstract;

  constructor({ manager }: DataSource) {
    const query = async ({ name, text, values }: ScopedStatement): Promise<object> => {
      const rows = await sql(manager, { name: name ?? '', text, scope: 'no workspace' }, values);
      return { rows, rowCount: rows.length };
    };
    const table = { storeClient: { query }, storeType: 'pool', tableName: 'sign_in_failures', tableCreated: true }; // prettier-ignore
    // When a counter exceeds its limit, this process refuses without a query, so a flood causes no writes.
    const limits = { points: POINTS, inMemoryBlockOnConsumed: POINTS + 1, ...table };
    this.failures = new RateLimiterPostgres({ ...limits, keyPrefix: 'wts:sign-in', duration: 60 });
    this.mails = new RateLimiterPostgres({
      ...limits,
      keyPrefix: 'wts:sign-in-mail',
      duration: MAIL_SECONDS,
    });
    this.confirmations = new RateLimiterPostgres({ ...limits, keyPrefix: 'wts:form-mail', duration: 3600 });
  }

  /** Counts a failed sign-in by a link: for the client's network and, if known, for the link's workspace. */
  async countLink(ip: string, workspaceId?: number): Promise<void> {
    await this.count(`link ${networkOf(ip)}`, POINTS / MAX_OF_ADDRESS);
    if (workspaceId !== undefined) await this.count(`workspace ${workspaceId}`, POINTS / MAX_OF_WORKSPACE);
  }

  async countCode(ip: string): Promise<void> {
    await this.count(`code ${networkOf(ip)}`, POINTS / MAX_OF_ADDRESS);
  }

  /** Throws (429) if too many codes from this network were refused. */
  async checkCode(ip: string): Promise<void> {
    const counted = await this.failures.get(keyOf(`code ${networkOf(ip)}`));
    if (counted && counted.consumedPoints >= POINTS) throw tooManyFailures();
  }

  /** Counts a request for a mail to this address, even if no user has the address. */
  async countMail(ip: string, email: string): Promise<void> {
    await this.count(`mail ${networkOf(ip)}`, POINTS / MAX_OF_ADDRESS);
    await this.mails.consume(keyOf(email.toLowerCase()), POINTS / MAX_MAILS).catch(refusing(tooManyMails));
  }

  /** Counts a form sent from this network, even if the form is refused. */
  async countForm(ip: string): Promise<void> {
    const network = isIPv4(plainAddress(ip)) ? plainAddress(ip).replace(/\.\d+$/, '') : networkOf(ip);
    await this.failures.consume(keyOf(`form ${network}`), POINTS / MAX_FORMS).catch(refusing(tooManyForms));
  }

  /** Whether a form may mail a confirmation to this mailbox. Allows one mail an hour. */
  async mayConfirm(email: string): Promise<boolean> {
    const counted = this.confirmations.consume(keyOf(mailboxOf(email)), POINTS);
    return counted.then(
      () => true,
      (error: unknown) => {
        if (error instanceof RateLimiterRes) return false;
        throw error;
      },
    );
  }

  private async count(what: string, points: number): Promise<void> {
    await this.failures.consume(keyOf(what), points).catch(refusing(tooManyFailures));
  }
}

const MAX_MAILS = 5;
const MAIL_SECONDS = 900;
const MAX_FORMS = 10;
const MAX_OF_ADDRESS = 20;
const MAX_OF_WORKSPACE = 100;
const POINTS = 100;

const tooMany = (said: string, seconds: number) => (): Refusal =>
  new Refusal('too-many-requests', said, { 'Retry-After': String(seconds) });

const tooManyFailures = tooMany('Too many failed sign-ins. Try again in a minute.', 60);
const tooManyForms = tooMany('Too many forms were sent from this network. Try again in a minute.', 60);
const tooManyMails = tooMany(
  'Five mails were requested for this address. Use the last one, or try again in 15 minutes.',
  MAIL_SECONDS,
);

const refusing =
  (refusal: () => Refusal) =>
  (error: unknown): never => {
    throw error instanceof RateLimiterRes ? refusal() : error;
  };

/** Hashes the name of a counter. The name can contain an address, which the database must not store. */
const keyOf = (what: string): string => hash('sha256', what, 'base64url');

/** An address without its tag, because most servers deliver `jo+tag@` to `jo@`. */
function mailboxOf(email: string): string {
  const [, name = email, domain = ''] = /^(.[^+]*).*@(.*)$/.exec(email) ?? [];
  return `${name}@${domainToASCII(domain) || domain}`.toLowerCase();
}

/** An IPv4 address, or the first 64 bits of an IPv6 address, because one customer has a whole /64 network. */
function networkOf(ip: string): string {
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.split('::');
  const groups = before.split(':');
  const rest = after === undefined ? [] : Array<string>(8 - groups.length).fill('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}

/** Removes the prefix that IPv6 sockets add to an IPv4 address. */
const plainAddress = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, '');
