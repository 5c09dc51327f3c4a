import { type EntityManager } from 'typeorm';
import { type DisabledWebhook, recordTries, type TriedDelivery } from './deliveries.repository.js';
import { type ClaimedReceiver } from './receivers.repository.js';

/** Writes down what came of tries, those that end meanwhile together: one statement for many. */
export class TryLog {
  private unwritten: TriedDelivery[] = [];
  private writing: Promise<void> | undefined;

  constructor(
    private readonly db: EntityManager,
    private readonly receiver: ClaimedReceiver,
    private readonly onDisabled: (disabled: DisabledWebhook) => void,
  ) {}

  /** Resolves when it is written. */
  async add(tried: TriedDelivery): Promise<void> {
    this.unwritten.push(tried);
    await this.flushed();
  }

  /** Resolves when all is written that was added before. */
  async flushed(): Promise<void> {
    while (this.writing ?? this.unwritten.length > 0) {
      this.writing ??= this.write().finally(() => (this.writing = undefined));
      await this.writing;
    }
  }

  private async write(): Promise<void> {
    const tries = this.unwritten;
    this.unwritten = [];
    for (const disabled of await recordTries(this.db, this.receiver, tries)) this.onDisabled(disabled);
  }
}
