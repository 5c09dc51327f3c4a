import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { contentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { csvLine, guardCell } from '../../tasks/list/export-tasks.js';
import { ChoosingQuery } from '../../tasks/tasks.dto.js';

/** What the point is about, such as a day, and then its numbers, in the order of `Metric.columns`. */
export type Point = readonly [at: string, ...figures: (number | null)[]];

@ApiSchema({ name: 'FigureSeries', description: 'One line, band or row of bars of a figure.' })
export class Series {
  @ApiProperty({ description: 'What the series shows, such as a group and a stage: `High: In Review`.' })
  readonly name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', minItems: 2, items: { type: ['string', 'number', 'null'] } },
    description: 'A point is a list: a day, a stage or a person, then numbers. Durations are in seconds.',
    example: [['2026-11-01', 12]],
  })
  readonly points!: readonly Point[];
}

@ApiSchema({ name: 'Figure' })
export class Figure {
  @ApiProperty({ description: 'What exactly the figure counts.' })
  readonly definition!: string;

  @ApiProperty({ format: 'date-time', description: 'The figure includes all changes up to this time.' })
  readonly as_of!: string;

  @ApiProperty({ type: () => [Series] })
  readonly series!: readonly Series[];
}

/** Returns a figure as CSV with a line for each point. */
export function figureTable(
  { series }: Figure,
  columns: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const lines = series.flatMap(({ name, points }) =>
    points.map((point) => csvLine([name, ...point.map((cell) => String(cell ?? ''))].map(guardCell))),
  );
  // The byte order mark tells spreadsheets that the file is UTF-8.
  const text = `\ufeff${csvLine(['series', ...columns])}${lines.join('')}`;
  return contentReply(text, { 'Content-Type': 'text/csv; charset=utf-8', ...headers });
}

/** The parameters of a figure in the API's description. `readFigureQuery` parses them. */
export class FigureQueryDto extends ChoosingQuery {
  @ApiPropertyOptional({ type: String, format: 'date', description: 'The first day, in the time zone of the workspace.' }) // prettier-ignore
  readonly from: unknown;

  @ApiPropertyOptional({ type: String, format: 'date', description: 'The day after the last day. A series has at most 400 points.' }) // prettier-ignore
  readonly to: unknown;

  @ApiPropertyOptional({ enum: ['day', 'week'], enumName: 'FigureInterval', description: 'The time that one point covers. Weeks begin on Monday.' }) // prettier-ignore
  readonly interval: unknown;

  @ApiPropertyOptional({ type: String, description: '`Stage`, `Assigned To`, or a field that holds one option, a person or a checkbox. The figure has a series for each value.' }) // prettier-ignore
  readonly group: unknown;

  @ApiPropertyOptional({ enum: ['elapsed', 'working'], enumName: 'FigureTime', description: 'Whether durations count all time or only working time, by the first calendar of the workspace.' }) // prettier-ignore
  readonly _time: unknown;

  @ApiPropertyOptional({ enum: ['true', 'false'], enumName: 'Flag', description: 'true: imported tasks count as well.' }) // prettier-ignore
  readonly _imports: unknown;
}
