import { type Point, type Series } from './figure.dto.js';
import { type FigureQuery, MAX_POINTS } from './figure-query.js';

/**
 * The numbers of one point. `g` is the value by which its tasks are grouped. `at` says what the point is
 * about, such as a day, a stage or a person.
 */
export interface FigureRow {
  readonly g: string | number | boolean | null;
  readonly part?: string | null;
  readonly at: string;
  readonly figures: Figures;
}

type Figures = readonly (number | null)[];

interface Found {
  readonly rows: readonly FigureRow[];
  /** The name of a series that has neither a group nor a part. */
  readonly only: string;
  /** The parts of each group, such as stages, in order. Names repeat if removed stages had the same name. */
  readonly parts?: readonly string[];
  /** The values of `at` that each series has. By default: those of its rows, at most MAX_POINTS. */
  readonly places?: readonly string[];
  /** The numbers of a point that has no row. */
  readonly blank?: Figures;
}

/**
 * Returns a series for each part of each group. Groups are in the order of their names. Leaves out series
 * without points.
 */
export function seriesOf(query: FigureQuery, found: Found): Series[] {
  const { only, parts = [''], places, blank = [0] } = found;
  const rows = found.rows.map((row) => ({ ...row, group: groupName(query, row.g) }));
  const groups = [...new Set(rows.map(({ group }) => group))].toSorted((one, other) => one.localeCompare(other)); // prettier-ignore
  return (groups.length === 0 && places ? [''] : groups).flatMap((group) => {
    const ofGroup = rows.filter((row) => row.group === group);
    return [...new Set(parts)].flatMap((part) => {
      const own = ofGroup.filter((row) => (row.part ?? '') === part);
      const figuresAt = new Map(own.map(({ at, figures }) => [at, figures]));
      const ats = places ?? [...figuresAt.keys()].slice(0, MAX_POINTS);
      const points = ats.map((at): Point => [at, ...(figuresAt.get(at) ?? blank)]);
      return points.length > 0 ? [{ name: [group, part].filter(Boolean).join(': ') || only, points }] : [];
    });
  });
}

/** Returns the group's value as users see it; '' if the figure has no groups. */
function groupName({ group, scope }: FigureQuery, value: FigureRow['g']): string {
  const { users, stages } = scope.workflow.schema;
  if (!group) return '';
  if (typeof value === 'number') return stages.all.find(({ id }) => id === value)?.name ?? '(unknown)';
  if (value !== null) return users.get(String(value))?.email ?? String(value);
  if (group.filter?.subject.of === 'assignee') return 'Nobody';
  return group.view?.ask.by === 'tick' ? 'false' : '(empty)';
}
