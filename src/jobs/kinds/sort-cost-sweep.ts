import { SortCosts } from '../../tasks/list/sort-costs.js';
import { type Sweep } from '../job-kind.js';

/** Keeps for plans what this process has noted of the costs of sorted lists. */
export const sortCostSweep: Sweep = {
  name: 'sort-cost-sweep',
  pauseMs: () => 60_000,
  isEverywhere: true,
  sweep: (parts) => parts.provider(SortCosts).keep(),
};
