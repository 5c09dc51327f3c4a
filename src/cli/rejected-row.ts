import { type RowOutcome } from '../tasks/batch/batch-row.js';
import { guardCell } from '../tasks/csv-cell.js';
import { csvLine } from '../tasks/export-tasks.js';
import { remark } from './csv-payload.js';
import { type SourceRow } from './source-rows.js';

const names = [`${remark}row`, `${remark}errors`];

/** The head of a file of rejected rows. */
export function rejectsHead(header: readonly string[]): string {
  return header.length === 0 ? '' : csvLine([...names, ...header.filter((name) => !names.includes(name))]);
}

/** A rejected row as it stood in its file, with its number and what is wrong with it: corrected, it can be imported. */
export function rejectedRow(header: readonly string[], { source }: SourceRow, outcome: RowOutcome): string {
  const [row, errors] = [outcome.row, reasonOf(outcome)];
  if (typeof source === 'string') return rejectedLine(source, row, errors);
  const cells = source.filter((_, at) => !names.includes(header[at] ?? ''));
  return csvLine([String(row), guardCell(errors), ...cells]);
}

/** What is wrong with a row, in one line. */
export function reasonOf({ errors = [] }: RowOutcome): string {
  return errors
    .map(([name, messages]) => (name === 'base' ? messages : messages.map((message) => `${name} ${message}`)))
    .flat()
    .join('; ');
}

function rejectedLine(line: string, row: number, errors: string): string {
  const head = `{"${names[0] ?? ''}":${row},"${names[1] ?? ''}":${JSON.stringify(errors)}`;
  if (!line.startsWith('{') || !isJson(line)) return `${head},"_line":${JSON.stringify(line)}}\n`;
  const rest = line.slice(1).replace(earlier, '').trimStart();
  return `${head}${rest.startsWith('}') ? '' : ','}${rest}\n`;
}

/** What an earlier import remarked on the line. */
const earlier = /^\s*"_row":\d+,"_errors":"(?:[^"\\]|\\.)*",?/;

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
