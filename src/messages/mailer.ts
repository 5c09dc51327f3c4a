import { Inject, Injectable, Optional } from '@nestjs/common';
import { addressIn } from '../../packages/mail/address.js';
import { type LetterParts } from '../../packages/mail/letter.js';
import { type Post, type PostOutcome, type PostTerms } from '../../packages/mail/post.js';
import { CONFIG, type Config } from '../config.js';
import { outboundIsOff } from '../lib/outbound.js';
import { traceHeaders } from '../lib/trace.js';
import { Metrics } from '../ops/metrics.js';
import { mailUrlOf } from './outbox.js';

/** Hands letters to the configured mail server. */
@Injectable()
export class Mailer {
  private post: Promise<Post> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  /** Whether a mail server is configured and used: without one, people are promised no mail. Actions may use the outbox. */
  get isSetUp(): boolean {
    return this.config.smtpUrl !== undefined && this.config.isOutboundOn;
  }

  /** The domain in the ids of letters. */
  get domain(): string {
    return addressIn(this.config.mailFrom)?.split('@').at(-1) ?? 'localhost';
  }

  /** Tries once. Reports failures of the mail server in its result; throws only what `onContent` throws. */
  async send(parts: Omit<LetterParts, 'from'>, terms: PostTerms): Promise<PostOutcome> {
    const outcome = await this.handIn(parts, terms);
    this.metrics?.noteLetter(outcome.is);
    return outcome;
  }

  private async handIn(parts: Omit<LetterParts, 'from'>, terms: PostTerms): Promise<PostOutcome> {
    const { smtpMs, mailFrom, isOutboundOn } = this.config;
    if (!isOutboundOn) return { is: 'refused', reason: outboundIsOff, mayPass: true };
    const smtpUrl = mailUrlOf(this.config);
    if (smtpUrl === undefined)
      return { is: 'refused', reason: 'no mail server is set: WTS_SMTP_URL', mayPass: true };
    // SMTP code is loaded with the first mail.
    const [{ openPost }, { writeLetter }] = await Promise.all([
      import('../../packages/mail/post.js'),
      import('../../packages/mail/letter.js'),
    ]);
    this.post ??= Promise.resolve(openPost(smtpUrl, { phaseMs: smtpMs }));
    const letter = await writeLetter({ ...parts, ...traceHeaders(), from: mailFrom });
    return (await this.post).send(letter, terms);
  }
}
