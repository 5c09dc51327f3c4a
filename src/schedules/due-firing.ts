import { type Firing, lastFiringBetween, nextFirings, type Timetable } from '../calendars/firings.js';
import { DAY, MINUTE, periodAt } from '../calendars/zone.js';
import { type ScheduleDefinition } from '../workspace/schedule-definition.js';

/** What a schedule has to do at a time. */
export interface Due {
  /** The firing that has come; absent where none has. */
  readonly firing?: Firing;
  /** Whether it came so long ago that nothing is done any more. */
  readonly isMissed: boolean;
  /** Up to when all firings are done with then. */
  readonly countedTo: number;
  readonly next: number | null;
}

/** A firing that is found this long after its time counts as missed. */
const LATE = MINUTE;
/** Nothing is made up for after this. */
const TOO_LATE = DAY;

/** Of several firings that have come, the last one counts: what it does, the others would have done as well. */
export function dueFiring(
  timetable: Timetable,
  missed: ScheduleDefinition['missed'],
  countedFrom: number,
  now: number,
): Due {
  // A clock that is set back fires nothing twice.
  const countedTo = Math.max(countedFrom, now);
  const next = nextFirings(timetable, countedTo, 1)[0]?.instant ?? null;
  const recent = lastFiringBetween(timetable, Math.max(countedFrom, now - TOO_LATE), now);
  const firing = recent ?? lastFiringBetween(timetable, countedFrom, now - TOO_LATE);
  if (!firing) return { isMissed: false, countedTo, next };
  const isMissed = !recent || (missed === 'skip' && now - firing.instant > LATE);
  return { firing, isMissed, countedTo, next };
}

/** The firing that somebody asks for, to whose second it is told apart from those of the timetable. */
export function askedFiring({ zone }: Timetable, at: number): Firing {
  const instant = Math.floor(at / 1000) * 1000;
  const { offset } = periodAt(zone, instant);
  return { nominal: instant + offset, offset, instant, isSecond: false };
}
