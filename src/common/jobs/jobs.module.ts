import { type DynamicModule, Module } from '@nestjs/common';
import { type Config } from '../../config.js';
import { JobParts } from '../ops/job-kind.js';
import { JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';
import { JobWaker } from './job-waker.js';

@Module({
  providers: [JobParts, JobQueue, JobRunner, JobWaker],
})
export class JobsModule {
  /** Uses a queue if Redis is configured. Without Redis, Bull is not loaded. */
  static async on({ redisUrl, role }: Config): Promise<DynamicModule> {
    if (redisUrl === undefined) return { module: JobsModule };
    const { queueParts } = await import('./bull.js');
    return { module: JobsModule, ...queueParts(redisUrl, role) };
  }
}
