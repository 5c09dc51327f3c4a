import { busy } from '../../common/errors.js';
import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { CONFIG, type Config } from '../../config.js';
import { taskUrlOf } from '../../common/public-address.js';
import { UnitOfWork } from './unit-of-work.js';
import { Workspaces } from './workspaces.js';

/** Limits simultaneous reads of many tasks: they occupy a database processor, and their results the event loop. */
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
        new FairSemaphore(
          Math.min(4, Math.ceil(poolSize / 4)),
          busy('Too many tasks are being looked through.'),
        ),
    },
  ],
  exports: [UnitOfWork, Workspaces, SCANS],
})
export class WorkspaceModule {}

/** Writes may wait for an apply, so some connections are reserved for reads. */
function writersOf(poolSize: number): FairSemaphore {
  const permits = Math.ceil(poolSize * 0.75);
  return new FairSemaphore(permits, busy('Too many writes are waiting.'), { ofKey: permits * 0.75 });
}
