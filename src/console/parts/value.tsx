import { type VNode } from 'preact';
import { type Output, type ShownField } from '../../workflows/fields/field-type.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { nameOfEmail, useReader, type SignedIn } from '../reader.js';
import { Person } from './avatar.js';
import { Badge } from './badge.js';
import { Icon } from './icon.js';
import { Day, Instant, writeDay } from './time.js';

/** A value that is not blank, shown by its type. `files-part.tsx` shows files. */
export function Value({ show, value }: { readonly show: ShownField; readonly value: Output }): VNode {
  const reader = useReader();
  if (Array.isArray(value)) return <Tags tags={value.filter((tag) => typeof tag === 'string')} />;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (show.as) {
    case 'lines':
      return <p class="lines">{text}</p>;
    case 'number':
      return <span class="number">{formatNumber(reader.locale, text, show.decimals)}</span>;
    case 'day':
      return <Day day={text} />;
    case 'instant':
      return <Instant at={new Date(text)} />;
    case 'tick':
      return (
        <span class={value === true ? 'ticked' : 'muted'}>
          <Icon name={value === true ? 'check' : 'dash'} /> {value === true ? 'Yes' : 'No'}
        </span>
      );
    case 'person':
      return <Somebody email={text} />;
    case 'tags':
      return <Tags tags={[text]} />;
    case 'address':
      return (
        <a
          href={`${show.scheme ?? ''}${show.scheme === 'tel:' ? text.replace(/[^\d+]/g, '') : text}`}
          rel="noreferrer noopener"
        >
          {text}
        </a>
      );
    case 'files':
    case 'line':
      return <span>{text}</span>;
  }
}

export function shownAs({ name, filter, view }: ListedProperty): ShownField {
  if (filter?.subject.of === 'assignee') return { as: 'person' };
  return instants.has(name) ? { as: 'instant' } : (view?.show ?? { as: 'line' });
}

export function Somebody({ email }: { readonly email: string }): VNode {
  const reader = useReader();
  const user = reader.workspace.users.find(email);
  return user ? <Person user={user} /> : <span>{email}</span>;
}

function Tags({ tags }: { readonly tags: readonly string[] }): VNode {
  return (
    <span class="tags">
      {tags.map((tag) => (
        <Badge>{tag}</Badge>
      ))}
    </span>
  );
}

/** Formats a decimal from its text, because a JavaScript number would lose digits. */
function formatNumber(locale: string, text: string, decimals = 0): string {
  const places = Math.max(decimals, text.split('.')[1]?.length ?? 0);
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: Math.min(places, 38) }); // prettier-ignore
  return /^-?\d+(\.\d+)?$/.test(text) ? format.format(text as `${number}`) : text;
}

/** Writes a value for a sentence. Undefined for a text that is too long, and for a value without a text. */
export function writeValue(reader: SignedIn, show: ShownField, value: Output): string | undefined {
  const { locale } = reader;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.join(', ') : undefined;
  if (typeof value !== 'string' || value.length > MOST_IN_SENTENCE) return undefined;
  if (show.as === 'number') return formatNumber(locale, value, show.decimals);
  if (show.as === 'day') return writeDay(value, locale, 'medium');
  return show.as === 'person' ? nameOfEmail(reader, value) : value;
}

const MOST_IN_SENTENCE = 60;
