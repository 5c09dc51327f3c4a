import { type Firing, lastFiringBetween, nextFirings, type Timetable } from '../../workflows/time/firings.js';
import { DAY, MINUTE, periodAt } from '../../workflows/time/zone.js';
import { type ScheduleDefinition } from './schedule-definition.js';

/** The work of a schedule at a time. */
export interface Due {
  /** The firing that is due; absent if none is. */
  readonly firing?: Firing;
  /** Whether it is too late to carry it out. */
  readonly isMissed: boolean;
  /** The time up to which all firings are handled afterwards. */
  readonly countedTo: number;
  readonly next: number | null;
}

/** A firing that is found this long after its time counts as missed. */
const LATE = MINUTE;
/** A missed firing is never carried out after this. */
const TOO_LATE = DAY;

/** If several firings are due, only the last one counts: the others would have done the same. */
export function dueFiring(
  timetable: Timetable,
  missed: ScheduleDefinition['missed'],
  countedFrom: number,
  now: number,
): Due {
  // A clock that is set back repeats no firing.
  const countedTo = Math.max(countedFrom, now);
  const next = nextFirings(timetable, countedTo, 1)[0]?.instant ?? null;
  const recent = lastFiringBetween(timetable, Math.max(countedFrom, now - TOO_LATE), now);
  const firing = recent ?? lastFiringBetween(timetable, countedFrom, now - TOO_LATE);
  if (!firing) return { isMissed: false, countedTo, next };
  const isMissed = !recent || (missed === 'skip' && now - firing.instant > LATE);
  return { firing, isMissed, countedTo, next };
}

/** A firing on request. It carries its seconds, which tell it apart from firings of the timetable. */
export function askedFiring({ zone }: Timetable, at: number): Firing {
  const instant = Math.floor(at / 1000) * 1000;
  const { offset } = periodAt(zone, instant);
  return { nominal: instant + offset, offset, instant, isSecond: false };
}
