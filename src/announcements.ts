import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KnownKeys } from './access/known-keys.js';
import { type Change, type Listener, listenForChanges } from './database/announcements.js';
import { Workspaces } from './workflows/workspaces.js';

/** Drops from memory what other instances, or the command line, have changed. */
@Injectable()
export class Announcements implements OnApplicationBootstrap, OnApplicationShutdown {
  private listener: Listener | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly keys: KnownKeys,
  ) {}

  onApplicationBootstrap(): void {
    this.listener = listenForChanges(
      this.dataSource,
      (change) => {
        this.forget(change);
      },
      () => {
        this.keys.isTold = false;
      },
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener?.close();
  }

  private forget(change: Change | undefined): void {
    if (!change || 'keys' in change) this.keys.forgetAll();
    if (!change) this.keys.isTold = true;
    if (!change) this.workspaces.forgetAll();
    else if ('workspaceId' in change) this.workspaces.forget(change.workspaceId);
  }
}
