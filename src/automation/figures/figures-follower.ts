import { type BulkFollower } from '../../events/follower.js';
import { followStages } from './visits.repository.js';

/** Keeps where tasks have been, for the figures: each stay in a stage, and how many went where on each day. */
export const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};
