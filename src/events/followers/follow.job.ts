import { DataSource } from 'typeorm';
import {
  type ClaimedFollower,
  dueFollowers,
  type FollowerKey,
  followerLeases,
} from './followers.repository.js';
import { someAreBehind } from '../events.repository.js';
import { type Follower } from '../follower.js';
import { followTurn, type TurnEnd } from './follow-turn.js';
import { mailsPeople } from '../../messages/outbox.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { taskUrlOf } from '../../common/public-address.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type JobKind, leasedBy } from '../../common/ops/job-kind.js';

const PLACES = 8;

/** Reads on in the events of a workspace for one of these followers. */
export const followFeeds = (followers: readonly Follower[]): JobKind<FollowerKey, ClaimedFollower> => ({
  name: 'follow',
  next: `CASE WHEN ${someAreBehind('position', 'followers')} THEN service_now() END`,
  places: PLACES,
  // A workspace with endless events leaves half of the places to others.
  shares: { ofWorkspace: PLACES / 2 },
  ...leasedBy(followerLeases),
  due: ({ db }) => dueFollowers(db),
  async run(parts, claimed, { stopping }) {
    const follower = followers.find(({ name }) => name === claimed.name);
    if (!follower) return;
    const turn = {
      dataSource: parts.provider(DataSource),
      workspaces: parts.provider(Workspaces),
      taskUrl: taskUrlOf(parts.config),
      mailsPeople: mailsPeople(parts.config),
      logger: parts.logger,
      idleTransactionMs: parts.config.idleTransactionMs,
    };
    let at: ClaimedFollower | undefined = claimed;
    while (at && !stopping.aborted) {
      const { rings, next }: TurnEnd = await followTurn(turn, at, follower, claimed.failures > 0);
      for (const { kind, job } of rings) parts.provider(Doorbell).ring(kind, job);
      at = next === undefined ? undefined : { ...claimed, position: next, failures: 0 };
    }
  },
});
