/** An old and a new text, each on one line; long texts begin shortly before their first difference. */
export function excerptsOf({
  before,
  after,
}: {
  readonly before?: unknown;
  readonly after?: unknown;
}): [string, string] {
  const [one, other] = [shown(before), shown(after)];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const start = Math.max(one.length, other.length) <= MAX_EXCERPT ? 0 : Math.max(same - 30, 0);
  const excerpt = (text: string): string =>
    [
      start > 0 && text !== '' ? '…' : '',
      text.slice(start, start + MAX_EXCERPT).toWellFormed(),
      text.length > start + MAX_EXCERPT ? '…' : '',
    ]
      .join('')
      .replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '↵' : '\u{fffd}'));
  return [excerpt(one), excerpt(other)];
}

const MAX_EXCERPT = 200;

function shown(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
