import { type Metric } from './figure-query.js';
import { cycleTime, timeInStage } from './metrics/durations.js';
import { flow, throughput } from './metrics/moves.js';
import { age, clocksDue, workload } from './metrics/open-tasks.js';

export const metrics = {
  clocks: clocksDue,
  age,
  flow,
  throughput,
  cycle_time: cycleTime,
  time_in_stage: timeInStage,
  workload,
} as const satisfies Readonly<Record<string, Metric>>;

export const isMetric = (name: string): name is keyof typeof metrics => Object.hasOwn(metrics, name);
