import { Process, Processor } from '@nestjs/bull';
import { type Job } from 'bull';
import { executionsQueue } from './execution-queue.js';
import { Dispatcher } from './dispatcher.js';
import { type ExecutionKey } from './executions.repository.js';

/** Hears of Pending executions by way of Redis. */
@Processor(executionsQueue)
export class ExecutionsProcessor {
  constructor(private readonly dispatcher: Dispatcher) {}

  @Process({ concurrency: 16 })
  async run({ data }: Job<ExecutionKey>): Promise<void> {
    await this.dispatcher.run(data);
  }
}
