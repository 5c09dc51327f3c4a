import { create } from 'content-disposition';
import { contentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { guardCell } from '../../tasks/list/export-tasks.js';
import { csvLine } from '../../tasks/list/export-tasks.js';
import { type Figure, type Metric } from './figure.js';

/** Answers with a figure as CSV: a line for each point, with the name of its series. */
export function figureTable(slug: string, { name, columns }: Metric, { series }: Figure): Reply {
  const lines = series.flatMap(({ name, points }) =>
    points.map((point) => csvLine([name, ...point.map((cell) => String(cell ?? ''))].map(guardCell))),
  );
  // The byte order mark tells spreadsheets that the file is UTF-8.
  return contentReply(`\ufeff${csvLine(['series', ...columns])}${lines.join('')}`, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': create(`${slug}-${name}.csv`),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-store',
  });
}
