import { placeOf } from '../place.js';
import { type Report } from './report.js';

/** Reports what a name, or another text of one line, may not be. */
export function checkName(
  holder: object,
  key: string | number,
  name: string,
  report: Report,
  longest = 100,
): void {
  if (name === '') report(holder, key, 'is empty');
  else if (Array.from(name).length > longest) report(holder, key, `is longer than ${longest} characters`);
  if (name.trim() !== name) report(holder, key, 'begins or ends with white space');
  if (/\p{Control}/u.test(name)) report(holder, key, 'contains a control character');
  if (/\p{Surrogate}/u.test(name)) report(holder, key, 'holds an unpaired surrogate');
}

/** One use of something that may be used once. */
export interface Use {
  readonly holder: object;
  readonly key: string | number;
  readonly text: string;
}

/** Reports every text that another one equals after NFC: the later one, or the one that is from the file. */
export function checkDistinct(uses: readonly Use[], message: string, report: Report): void {
  const first = new Map<string, Use>();
  for (const use of uses) {
    const text = use.text.normalize('NFC');
    const earlier = first.get(text);
    if (!earlier) first.set(text, use);
    else if (use.text !== '') reportOne(earlier, use, message, report);
  }
}

function reportOne(earlier: Use, later: Use, message: string, report: Report): void {
  const { holder, key } = placeOf(later.holder) || !placeOf(earlier.holder) ? later : earlier;
  report(holder, key, message);
}
