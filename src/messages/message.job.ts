import { type JobKind, leasedBy, type JobPlace } from '../common/ops/job-kind.js';
import {
  type ClaimedMessage,
  messageJob,
  type MessageKey,
  messageLeases,
  doubtMessage,
  recordMessage,
} from './messages.repository.js';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BLOBS, type BlobStore } from '../tasks/files/blob-store.js';
import { CONFIG, type Config } from '../config.js';
import { type Logger, LOGGER } from '../common/logger.js';
import { english, keptText, say, type Message } from '../common/message.js';
import { LostLease } from '../../packages/fair/lease.js';
import { nextTryMs } from '../common/pause.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { Secrets } from '../access/secrets.js';
import { Outbound } from '../../packages/safe-http/client.js';
import { ChannelEntity } from './channel.entity.js';
import { type Ending, untilEnd } from './ending.js';
import { Mailer } from './mailer.js';
import { mailText } from './mail-text.js';
import { type ReadyMessage, withLinks } from './message-link.js';
import { type LetterOutcome, type LetterAttachment } from './send-letter.js';
import { buffer } from 'node:stream/consumers';
import { type AttachedFile } from '../common/database/json-columns.js';
import { compileTemplate } from '../workflows/expressions/template.js';
import { TellingError } from '../common/errors.js';
import { channelTypes } from './channel-types.js';
import { readChannelUrl } from './channels.kind.js';
import { postOnce } from './post-once.js';

export const message: JobKind<MessageKey, ClaimedMessage> = {
  name: messageJob,
  next: `(SELECT service_now(min(next_at)) FROM messages WHERE state = 'queued')`,
  // Mail servers allow few connections.
  places: 8,
  // A job may wait long for a channel, so one workspace gets at most half of the places.
  shares: { ofWorkspace: 4 },
  isOutbound: true,
  ...leasedBy(messageLeases),
  spanOf: ({ id, kind, executionId }) => ({
    name: `message ${kind}`,
    attributes: { 'wts.message': id, 'wts.execution': executionId },
  }),
  run: (parts, claimed, place) => parts.provider(MessageRunner).run(claimed, place),
};

/** Sends claimed messages. If a mail may have been sent, it is sent again only on request. */
@Injectable()
export class MessageRunner {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly mailer: Mailer,
    private readonly outbound: Outbound,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(BLOBS) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Tries once and records the outcome. Records an aborted try only if a mail may have been sent. */
  async run(claimed: ClaimedMessage, place: JobPlace): Promise<void> {
    await untilEnd(place, async (ending) => {
      const tried = claimed.isInDoubt ? inDoubt : await this.tryToSend(claimed, ending);
      await this.record(claimed, tried);
    });
  }

  private async tryToSend(claimed: ClaimedMessage, ending: Ending): Promise<TriedToSend> {
    const workspace = await this.workspaces.get(claimed.workspaceId);
    const message = withLinks(claimed, workspace);
    switch (message.kind) {
      case 'email':
        return this.mail(message, ending);
      case 'post':
        return this.post(message, workspace, ending);
    }
  }

  private async post(message: ReadyMessage, workspace: Workspace, ending: Ending): Promise<TriedToSend> {
    const { workspaceId, recipient: id } = message;
    const channel = await this.dataSource.manager.findOneBy(ChannelEntity, { workspaceId, id });
    return postToChannel(message, channel, workspace, this.outbound, this.secrets, ending.signal);
  }

  private async mail(claimed: ReadyMessage, ending: Ending): Promise<TriedToSend> {
    const attachments = await readAttachments(this.blobs, claimed.attachments ?? []);
    if (!attachments) return { cause: 'an attached file no longer exists', mayPass: false };
    const letter = {
      to: claimed.recipient,
      replyTo: claimed.replyTo ?? undefined,
      subject: claimed.subject ?? '',
      ...mailText(claimed.body),
      attachments,
      id: letterId(claimed, this.mailer.domain),
      date: claimed.createdAt,
    };
    const noteDoubt = async (): Promise<void> => {
      if (!(await doubtMessage(this.dataSource.manager, claimed))) throw new LostLease();
    };
    return triedBy(await this.mailer.sendOnce(letter, ending, noteDoubt));
  }

  private async record(
    claimed: ClaimedMessage,
    { cause, mayPass, retryAfterMs = 0 }: TriedToSend,
  ): Promise<void> {
    const db = this.dataSource.manager;
    if (cause === null) return recordMessage(db, claimed, { state: 'sent', cause, waitMs: 0 });
    const waitMs = mayPass
      ? nextTryMs(this.config.messageDelaysMs, claimed.tries + 1, retryAfterMs)
      : undefined;
    const state = waitMs === undefined ? 'failed' : 'queued';
    await recordMessage(db, claimed, { state, cause: keptText(cause), waitMs: waitMs ?? 0 });
    const { workspaceId: workspace, id: message, kind } = claimed;
    const told = { workspace, message, kind, cause: english(cause) };
    if (state === 'failed') this.logger.warn(told, 'message failed');
  }
}

interface TriedToSend {
  /** Why the try failed; null if the message was sent. */
  readonly cause: Message | null;
  /** Whether another try may succeed. */
  readonly mayPass: boolean;
  readonly retryAfterMs?: number;
}

/** Posts a message to its channel. All tries send the same idempotency key. */
async function postToChannel(
  { recipient, workspaceId, id, body, uniqueValue, taskUrl }: ReadyMessage,
  channel: ChannelEntity | null,
  { slug }: Workspace,
  outbound: Outbound,
  secrets: Secrets,
  ending: AbortSignal,
): Promise<TriedToSend> {
  const type = channelTypes.get(channel?.type ?? '');
  if (!channel || !type) return { cause: say`there is no channel ${recipient} any more`, mayPass: false };
  const { status, ...outcome } = await postOnce(outbound, [ending], () => {
    const url = compileTemplate(channel.url).render(({ name }) => secrets.value(slug, name));
    if (readChannelUrl(url) === undefined) throw new TellingError('its URL is not allowed');
    const sent = JSON.stringify(type.body(body, { unique_id: uniqueValue, url: taskUrl }));
    return { workspaceId, url, headers: { 'idempotency-key': id }, body: sent };
  });
  // A failure without a response is retried: an operator may set the secret or allow the address meanwhile.
  return { ...outcome, mayPass: status === null || status === 408 || status === 429 || status >= 500 };
}

const inDoubt: TriedToSend = {
  cause: 'it may have been sent: the service ended before the mail server answered, so it is not sent again',
  mayPass: false,
};

function triedBy(outcome: LetterOutcome): TriedToSend {
  if (outcome.is === 'sent') return { cause: null, mayPass: false };
  if (outcome.is === 'unknown') {
    const cause = say`it may have been sent, so it is not sent again: ${{ code: outcome.reason, args: [] }}`;
    return { cause, mayPass: false };
  }
  const { reason, status, mayPass } = outcome;
  const cause = status === undefined ? reason : say`the mail server refused it with status ${status}`;
  return { cause, mayPass };
}

/** All tries of a message share this id, so that a mail client shows a duplicate once. */
function letterId({ executionId, step, recipient }: ReadyMessage, domain: string): string {
  const of = createHash('sha256').update(recipient.toLowerCase()).digest('hex').slice(0, 12);
  return `${executionId}.${step}.${of}@${domain}`;
}

/** Reads the attachments of a mail. Returns undefined if the store has lost one of them. */
async function readAttachments(
  store: BlobStore,
  files: readonly AttachedFile[],
): Promise<LetterAttachment[] | undefined> {
  const attachments: LetterAttachment[] = [];
  for (const { blobId, filename, contentType } of files) {
    const bytes = await store.read(blobId);
    if (!bytes) return undefined;
    attachments.push({ filename, contentType, content: await buffer(bytes) });
  }
  return attachments;
}
