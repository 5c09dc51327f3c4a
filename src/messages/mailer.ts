import { LostLease } from '../../packages/fair/lease.js';
import { type Ending } from './ending.js';
import { Inject, Injectable } from '@nestjs/common';
import { resolve } from 'node:path';
import { CONFIG, type Config } from '../config.js';
import { addressIn } from '../common/mail-address.js';
import { outboundIsOff } from '../common/outbound.js';
import { traceHeaders } from '../common/trace.js';
import { type Letter, type LetterOutcome, type LetterTerms } from './send-letter.js';
import { mailUrlOf } from '../common/outbox.js';

@Injectable()
export class Mailer {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  get domain(): string {
    return addressIn(this.config.mailFrom)?.split('@').at(-1) ?? 'localhost';
  }

  /** Tries once to send a letter. Returns failures of the mail server; throws errors of `onContent`. */
  async send(letter: Letter, terms: LetterTerms): Promise<LetterOutcome> {
    const { smtpMs: phaseMs, mailFrom, isOutboundOn } = this.config;
    if (!isOutboundOn) return { is: 'refused', reason: outboundIsOff, mayPass: true };
    const url = mailUrlOf(this.config);
    if (url === undefined)
      return { is: 'refused', reason: 'no mail server is set: WTS_SMTP_URL', mayPass: true };
    // Loads nodemailer when the first letter is sent.
    const { mailOf, sendLetter, writeLetter } = await import('./send-letter.js');
    const mail = mailOf(letter, mailFrom, traceHeaders());
    return url.startsWith('file:')
      ? writeLetter(resolve(url.slice('file:'.length).replace(/^\/\//, '')), mail, terms)
      : sendLetter(url, mail, { ...terms, phaseMs });
  }

  /** Sends a letter at most once: `noteDoubt` first records that the letter may have been sent. */
  async sendOnce(letter: Letter, ending: Ending, noteDoubt: () => Promise<void>): Promise<LetterOutcome> {
    const onContent = async (): Promise<void> => {
      await noteDoubt();
      ending.isInDoubt = true;
    };
    const outcome = await this.send(letter, { signal: ending.signal, onContent });
    // If the try was aborted before the letter was sent, the next process to claim the work sends it.
    if (outcome.is === 'refused' && outcome.status === undefined && ending.signal.aborted)
      throw new LostLease();
    return outcome;
  }
}
