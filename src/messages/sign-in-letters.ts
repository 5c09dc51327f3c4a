import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { Attempts } from '../access/attempts.js';
import { createSignInLink } from '../access/sessions.js';
import { CONFIG, type Config } from '../config.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { busy } from '../common/errors.js';
import { LOGGER, type Logger } from '../common/logger.js';
import { pauseOf } from '../common/pause.js';
import { publicAddress } from '../common/public-address.js';
import { randomId } from '../common/random-id.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { type Letter } from './send-letter.js';
import { letterText } from './mail-text.js';
import { Mailer } from './mailer.js';

/**
 * Mails sign-in links after the response, so that neither the response nor its duration reveals whether a
 * user has the address. Unsent letters are only in memory, and are lost when the process ends.
 */
@Injectable()
export class SignInLetters implements BeforeApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly places = new FairSemaphore(PLACES, busy('Mail is being sent.'), {
    ofKey: 1,
    ofWorkspace: PLACES,
    waitTimeoutMs: 300_000,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly mailer: Mailer,
    private readonly attempts: Attempts,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Waits up to STOP_MS for the letters that are being sent, then aborts them. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.allSettled(this.underWay), sleep(STOP_MS, undefined, { ref: false })]);
    this.stopping.abort();
    await Promise.allSettled(this.underWay);
  }

  /** Resolves when all letters have been sent or have failed. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** Starts to send a letter, and returns without waiting for it. */
  async request(email: string, ip: string): Promise<void> {
    await this.attempts.countMail(ip, email);
    if (this.underWay.size >= MAX_UNDER_WAY) {
      this.logger.warn({ underWay: this.underWay.size }, 'sign-in mail not sent: too many are being sent');
      return;
    }
    const sending = this.send(email).catch((error: unknown) => {
      if (!this.stopping.signal.aborted) this.logger.error({ error: String(error) }, 'sign-in mail failed');
    });
    this.underWay.add(sending);
    void sending.finally(() => this.underWay.delete(sending));
  }

  private async send(email: string): Promise<void> {
    const db = this.dataSource.manager;
    const where = { emailKey: email.toLowerCase(), active: true };
    const users = await db.find(UserEntity, { where, order: { workspaceId: 'ASC' }, take: MAX_WORKSPACES });
    const [first] = users;
    if (!first) return;
    const links = [];
    for (const user of users) {
      const { name } = await this.workspaces.get(user.workspaceId);
      const url = `${publicAddress(this.config)}/sign-in/${await createSignInLink(db, user)}`;
      links.push({ url, label: `Sign in to ${name}` });
    }
    const text = letterText([
      'Somebody, probably you, wants to sign in with this address.',
      ...links,
      'A link works once, within 15 minutes.',
      'If you did not request this mail, ignore it: nobody can sign in without it.',
    ]);
    // The letter goes to the stored address, not to the typed one.
    await this.deliver(first, { to: first.email, subject: `Sign in to ${this.config.serviceName}`, ...text });
  }

  private async deliver({ workspaceId }: UserEntity, content: Omit<Letter, 'id' | 'date'>): Promise<void> {
    const letter = { ...content, id: `${randomId('sign-in')}@${this.mailer.domain}`, date: new Date() };
    const { signal } = this.stopping;
    const pause = pauseOf(this.config.background);
    for (const delay of DELAYS_MS) {
      await pause(delay, signal);
      const outcome = await this.places.use({ workspaceId }, () =>
        this.mailer.send(letter, { signal, onContent: () => Promise.resolve() }),
      );
      if (outcome.is !== 'refused') return;
      this.logger.warn({ workspace: workspaceId, cause: outcome.reason, status: outcome.status }, 'sign-in mail refused'); // prettier-ignore
      if (!outcome.mayPass) return;
    }
  }
}

/** How many sign-in letters are sent at once. Few, because mail servers accept few connections. */
const PLACES = 4;
const MAX_UNDER_WAY = 200;
const MAX_WORKSPACES = 50;
const STOP_MS = 2000;
/** The wait before each try, in milliseconds. There are no later tries: users then request another mail. */
const DELAYS_MS = [0, 5000, 60_000, 240_000];
