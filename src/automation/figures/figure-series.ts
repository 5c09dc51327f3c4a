import { type Point, type Series } from './figure.dto.js';
import { type FigureQuery, MAX_POINTS } from './figure-query.js';

/** A row of the tasks with the same value `g` of the field by which a figure is grouped. */
export interface FigureRow {
  readonly g: string | number | boolean | null;
  readonly part?: string | null;
  readonly at: string;
  readonly figures: Figures;
}

type Figures = readonly (number | null)[];

interface Found {
  readonly rows: readonly FigureRow[];
  /** The name of a series without group and part. */
  readonly only: string;
  /** The parts of a group, such as stages, in their order; removed stages may share a name. */
  readonly parts?: readonly string[];
  /** The places of every series. By default, a series has those of its rows. */
  readonly places?: readonly string[];
  /** The figures of a place that has no row. */
  readonly blank?: Figures;
}

/** A series for each group, in the order of their names, and in it for each part. */
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

/** The name of a group, as its tasks show the value that they have; blank without groups. */
function groupName({ group, scope }: FigureQuery, value: FigureRow['g']): string {
  const { users, stages } = scope.workflow.schema;
  if (!group) return '';
  if (typeof value === 'number') return stages.all.find(({ id }) => id === value)?.name ?? '(unknown)';
  if (value !== null) return users.get(String(value))?.email ?? String(value);
  if (group.filter?.subject.of === 'assignee') return 'Nobody';
  return group.view?.ask.by === 'tick' ? 'false' : '(empty)';
}
