import { type Metric } from './figure.js';
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

export type MetricName = keyof typeof metrics;

export const isMetric = (name: string): name is MetricName => Object.hasOwn(metrics, name);
