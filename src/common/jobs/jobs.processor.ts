import { Process, Processor } from '@nestjs/bull';
import { type Job } from 'bull';
import { jobsQueue, type QueuedJob } from './job-queue.js';
import { JobRunner } from './job-runner.js';

/** Receives pending executions and all other jobs through Redis. */
@Processor(jobsQueue)
export class JobsProcessor {
  constructor(private readonly runner: JobRunner) {}

  @Process({ concurrency: 16 })
  hear({ data: { kind, job } }: Job<QueuedJob>): void {
    this.runner.begin(kind, job);
  }
}
