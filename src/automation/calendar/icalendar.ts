interface CalendarEntry {
  /** Stays the same when the entry changes, so that calendar programs update the entry. */
  readonly uid: string;
  readonly summary: string;
  readonly url: string;
  readonly at: Date;
  readonly changedAt: Date;
}

/** Formats a calendar by RFC 5545. */
export function iCalendar(name: string, entries: readonly CalendarEntry[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Workflow Task Service//Calendar//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...entries.flatMap(linesOf),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

const linesOf = ({ uid, summary, url, at, changedAt }: CalendarEntry): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${stamp(changedAt)}`,
  `DTSTART:${stamp(at)}`,
  `SUMMARY:${escaped(summary)}`,
  `URL:${url}`,
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
];

/** Formats an instant in UTC, as `20260331T180000Z`. */
const stamp = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, '');

const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/\p{Cc}/gu, ' ');

/** Splits a line into parts of at most 75 bytes, but splits no character. Later parts begin with a space. */
function folded(line: string): string {
  let bytes = 0;
  const parts = Array.from(line, (character) => {
    const length = Buffer.byteLength(character);
    bytes += length;
    if (bytes <= MAX_BYTES) return character;
    bytes = 1 + length;
    return `\r\n ${character}`;
  });
  return parts.join('');
}

const MAX_BYTES = 75;
