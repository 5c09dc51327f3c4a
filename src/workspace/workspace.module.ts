import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../lib/semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { taskUrlOf } from '../ops/public-address.js';
import { UnitOfWork } from './unit-of-work.js';
import { Workspaces } from './workspaces.js';

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
      provide: UnitOfWork,
      inject: [DataSource, Workspaces, CONFIG],
      useFactory: (dataSource: DataSource, workspaces: Workspaces, { poolSize }: Config) =>
        new UnitOfWork(dataSource, workspaces, writersOf(poolSize)),
    },
    {
      provide: SCANS,
      inject: [CONFIG],
      useFactory: ({ poolSize }: Config) =>
        new FairSemaphore(Math.min(4, Math.ceil(poolSize / 4)), 'Too many tasks are being looked through.'),
    },
  ],
  exports: [UnitOfWork, Workspaces, SCANS],
})
export class WorkflowsModule {}

/** Writes may wait for an apply; some connections stay free of them, so that reads go on. */
function writersOf(poolSize: number): FairSemaphore {
  const permits = Math.ceil(poolSize * 0.75);
  return new FairSemaphore(permits, 'Too many writes are waiting.', { ofKey: permits * 0.75 });
}
