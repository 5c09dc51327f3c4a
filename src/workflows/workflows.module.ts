import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Workspaces } from './workspaces.js';

@Global()
@Module({
  providers: [
    {
      provide: Workspaces,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, { taskUrl }: Config) => new Workspaces(dataSource, taskUrl),
    },
  ],
  exports: [Workspaces],
})
export class WorkflowsModule {}
