import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../lib/semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { taskUrlOf } from '../ops/public-address.js';
import { Workspaces } from './workspaces.js';

/** Writes may wait for an apply; some connections stay free of them, so that reads go on. */
export const WRITERS = Symbol('writers');

/** Reads that look at many tasks keep a processor of the database busy, and the event loop with what they find. */
export const SCANS = Symbol('scans');

@Global()
@Module({
  providers: [
    {
      provide: Workspaces,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, config: Config) => new Workspaces(dataSource, taskUrlOf(config)),
    },
    {
      provide: WRITERS,
      inject: [CONFIG],
      useFactory: ({ poolSize }: Config) => {
        const permits = Math.ceil(poolSize * 0.75);
        return new FairSemaphore(permits, 'Too many writes are waiting.', { ofKey: permits * 0.75 });
      },
    },
    {
      provide: SCANS,
      inject: [CONFIG],
      useFactory: ({ poolSize }: Config) =>
        new FairSemaphore(Math.min(4, Math.ceil(poolSize / 4)), 'Too many tasks are being looked through.'),
    },
  ],
  exports: [Workspaces, WRITERS, SCANS],
})
export class WorkflowsModule {}
