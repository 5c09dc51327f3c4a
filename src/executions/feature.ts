import { ExecutionEntity } from './execution.entity.js';
import { execution } from './execution.job.js';
import { executionsImpact } from './executions.impact.js';
import { ExecutionsModule } from './executions.module.js';
import { oldExecutions } from './executions.repository.js';
import { RunEntity } from './runs/run.entity.js';
import { RunsModule } from './runs/runs.module.js';
import { oldRuns } from './runs/runs.repository.js';

export const executionsFeature = {
  entities: [ExecutionEntity, RunEntity],
  impact: executionsImpact,
  jobs: [execution],
  leftovers: [oldExecutions, oldRuns],
  eventTypes: ['execution.started', 'execution.succeeded', 'execution.failed', 'execution.cancelled'],
  modules: [ExecutionsModule, RunsModule],
};
