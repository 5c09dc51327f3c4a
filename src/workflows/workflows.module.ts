import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Budget } from '../budget.js';
import { CONFIG, type Config } from '../config.js';
import { Workspaces } from './workspaces.js';

/** Writes may wait for an apply; some connections stay free of them, so that reads go on. */
export const WRITERS = Symbol('writers');

@Global()
@Module({
  providers: [
    {
      provide: Workspaces,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, { taskUrl }: Config) => new Workspaces(dataSource, taskUrl),
    },
    {
      provide: WRITERS,
      inject: [CONFIG],
      useFactory: ({ poolSize }: Config) =>
        new Budget(Math.ceil(poolSize * 0.75), 'Too many writes are waiting.'),
    },
  ],
  exports: [Workspaces, WRITERS],
})
export class WorkflowsModule {}
