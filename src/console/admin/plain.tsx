import { type VNode } from 'preact';
import { type SignedIn } from '../reader.js';

/** What a setting is called, and what a definition says of it. */
export type SaidSetting = readonly [name: string, value: unknown];

/** Settings, a line each; what says nothing is left out. */
export function Settings({
  to,
  said,
}: {
  readonly to: SignedIn;
  readonly said: readonly SaidSetting[];
}): VNode | null {
  const given = said.filter(([, value]) => !isNothing(value));
  if (given.length === 0) return null;
  return (
    <dl class="said">
      {given.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Plain to={to} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** A value of a definition, whatever it is: lists of texts in a line, what is deeper below each other. */
function Plain({ to, value }: PlainProps): VNode {
  if (Array.isArray(value)) return <List to={to} values={value} />;
  if (typeof value === 'object' && value !== null) return <Settings to={to} said={Object.entries(value)} />;
  return <>{textOf(to, value)}</>;
}

interface PlainProps {
  readonly to: SignedIn;
  readonly value: unknown;
}

function List({ to, values }: { readonly to: SignedIn; readonly values: readonly unknown[] }): VNode {
  if (values.every((value) => typeof value !== 'object' || value === null)) {
    const shown = values.slice(0, MAX_SHOWN).map((value) => textOf(to, value));
    const rest = values.length - shown.length;
    return <>{[...shown, ...(rest > 0 ? [to.words.admin.definitions.more(rest)] : [])].join(', ')}</>;
  }
  return (
    <ul class="said-list">
      {values.map((value) => (
        <li>
          <Plain to={to} value={value} />
        </li>
      ))}
    </ul>
  );
}

/** Of the options of a field there may be a thousand. */
const MAX_SHOWN = 50;

function textOf({ words }: SignedIn, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (value === null) return words.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
