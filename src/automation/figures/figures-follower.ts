import { type BulkFollower } from '../../events/follower.js';
import { followStages } from './visits.repository.js';

/**
 * Records for the figures where tasks have been: each stay in a stage, and how many tasks moved between stages each
 * day.
 */
export const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};
