import { type Metric } from './figure.js';
import { age } from './metrics/age.js';
import { clocksDue } from './metrics/clocks-due.js';
import { cycleTime, timeInStage } from './metrics/durations.js';
import { flow, throughput } from './metrics/moves.js';
import { workload } from './metrics/workload.js';

export const metrics = {
  clocks: clocksDue,
  age,
  flow,
  throughput,
  cycle_time: cycleTime,
  time_in_stage: timeInStage,
  workload,
} as const satisfies Readonly<Record<string, Metric>>;
