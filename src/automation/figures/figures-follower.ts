import { type BulkFollower } from '../../events/follower.js';
import { followStages } from './visits.repository.js';

/** Each stay in a stage, and how many tasks moved between stages each day. */
export const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};
