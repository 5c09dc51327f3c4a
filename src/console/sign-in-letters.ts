import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { createSignInLink, type MailedCode } from '../auth/sessions.repository.js';
import { CONFIG, type Config } from '../config.js';
import { UserEntity } from '../workspace/entities/user.entity.js';
import { busy } from '../lib/errors.js';
import { LOGGER, type Logger } from '../lib/logger.js';
import { pauseOf } from '../lib/pause.js';
import { randomId } from '../lib/random-id.js';
import { letterText } from '../messages/letter-text.js';
import { Mailer } from '../messages/mailer.js';
import { publicAddress } from '../lib/public-address.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type Reader } from './reader.js';

/** Whom somebody says to be, where, and how they are told. */
interface AskedLetter extends MailedCode {
  readonly email: string;
  readonly to: Pick<Reader, 'words' | 'service'>;
}

/**
 * Sends links and codes that sign in. All of it happens after the answer, which so tells nobody, by what it says or by how long
 * it takes, who is known here. A link is kept in no table: a letter that no server has taken is lost with the process.
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
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Letters that are being handed over have some time for it. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.allSettled(this.underWay), sleep(STOP_MS, undefined, { ref: false })]);
    this.stopping.abort();
    await Promise.allSettled(this.underWay);
  }

  /** Resolves when the letters under way are sent or given up. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** Sends a letter to each active user of this address, soon. */
  send(asked: AskedLetter): void {
    if (this.underWay.size >= MAX_UNDER_WAY) {
      this.logger.warn({ underWay: this.underWay.size }, 'sign-in mail not sent: too many are being sent');
      return;
    }
    const sending = this.sendAll(asked).catch((error: unknown) => {
      if (!this.stopping.signal.aborted) this.logger.error({ error: String(error) }, 'sign-in mail failed');
    });
    this.underWay.add(sending);
    void sending.finally(() => this.underWay.delete(sending));
  }

  private async sendAll(asked: AskedLetter): Promise<void> {
    const db = this.dataSource.manager;
    const where = { emailKey: asked.email.toLowerCase(), active: true };
    const users = await db.find(UserEntity, { where, order: { workspaceId: 'ASC' }, take: MAX_WORKSPACES });
    const [first] = users;
    if (!first) return;
    const links = [];
    for (const user of users) {
      const { rows } = await this.workspaces.get(user.workspaceId);
      const url = `${publicAddress(this.config)}/sign-in/${await createSignInLink(db, user, asked)}`;
      links.push({ url, label: asked.to.words.signInMail.link(rows.workspace.name) });
    }
    // To the address as it is kept here, not as somebody has typed it.
    await this.deliver(first, asked, links);
  }

  private async deliver(
    { email, workspaceId }: UserEntity,
    { to, code }: AskedLetter,
    links: readonly { readonly url: string; readonly label: string }[],
  ): Promise<void> {
    const { signInMail: words } = to.words;
    const letter = {
      to: email,
      subject: words.subject(to.service),
      ...letterText([
        words.lead,
        ...links,
        words.code,
        { copied: code },
        words.holds,
        { small: words.ignore },
      ]),
      id: `${randomId('sign-in')}@${this.mailer.domain}`,
      date: new Date(),
    };
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

/** Six digits, each as likely as the others. */
export const newCode = (): string => String(randomInt(10 ** 6)).padStart(6, '0');

/** Mail servers let few connections in, and the mail of notifications has places of its own. */
const PLACES = 4;
const MAX_UNDER_WAY = 200;
const MAX_WORKSPACES = 50;
const STOP_MS = 2000;
/** Who has waited longer asks for another. */
const DELAYS_MS = [0, 5000, 60_000, 240_000];
