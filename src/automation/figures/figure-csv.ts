import { contentReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { csvLine, guardCell } from '../../tasks/list/export-tasks.js';
import { type Figure } from './figure.dto.js';
import { type Metric } from './figure.js';

export function figureTable(
  { columns }: Metric,
  { series }: Figure,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const lines = series.flatMap(({ name, points }) =>
    points.map((point) => csvLine([name, ...point.map((cell) => String(cell ?? ''))].map(guardCell))),
  );
  // The byte order mark tells spreadsheets that the file is UTF-8.
  const text = `\ufeff${csvLine(['series', ...columns])}${lines.join('')}`;
  return contentReply(text, { 'Content-Type': 'text/csv; charset=utf-8', ...headers });
}
