import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Outbound } from '../../packages/safe-http/client.js';
import { CONFIG, type Config } from '../config.js';
import { Secrets } from '../executions/secrets.js';
import { type Logger, LOGGER } from '../lib/logger.js';
import { type JobPlace } from '../ops/job-kind.js';
import { Workspaces } from '../workspace/workspaces.js';
import { ReceiverRun } from './receiver-run.js';
import { type ClaimedReceiver } from './receivers.repository.js';
import { WebhookFeed } from './webhook-feed.js';

/** Sends events to the receivers that this process has claimed. */
@Injectable()
export class DeliveryRunner implements BeforeApplicationShutdown {
  private readonly cutting = new AbortController();

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: WebhookFeed,
    private readonly workspaces: Workspaces,
    private readonly outbound: Outbound,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // Every request listens to the signal, which is no leak.
    setMaxListeners(0, this.cutting.signal);
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => {
      this.cutting.abort();
    }, CUT_MS).unref();
  }

  /** Sends until nothing is due, the lease is lost or the service stops. */
  async run(claimed: ClaimedReceiver, { lease, stopping }: JobPlace): Promise<void> {
    const { feed, workspaces, outbound, secrets, config } = this;
    const run = new ReceiverRun(
      {
        db: this.dataSource.manager,
        ...{ feed, workspaces, outbound, secrets, config },
        onDisabled: ({ id, reason }) => {
          this.logger.warn({ workspace: claimed.workspaceId, webhook: id, reason }, 'webhook disabled');
        },
      },
      claimed,
      { lease, stopping, cutting: this.cutting.signal },
    );
    try {
      await run.run();
    } catch (error) {
      if (!lease.signal.aborted && !this.cutting.signal.aborted) throw error;
    }
  }
}

/** How long requests under way may wait for their answer when the service stops. */
const CUT_MS = 2000;
