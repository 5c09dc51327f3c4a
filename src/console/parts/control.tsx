import { type ComponentChildren, type VNode } from 'preact';
import { type Output, type AskedField } from '../../workflows/fields/field-type.js';
import { zoneOfPerson } from '../../messages/inbox/mail/next-digest.js';
import { isSignedInReader, useAnybody, useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { exactTimeIn, instantAt } from './time.js';
import { numberInControl, typedNumber } from './number.js';

/** The control for a value, as its type requires; the value has the form of the API. */
export function Control({ ask, value, way = useReader(), ...more }: ControlProps): VNode {
  const reader = useAnybody();
  const text = typeof value === 'string' ? value : '';
  const common = { name: 'value', autofocus: true, ...more };
  switch (ask.by) {
    case 'lines':
      return (
        <textarea {...common} maxLength={ask.maxLength} rows={4}>
          {`\n${text}`}
        </textarea>
      );
    case 'day':
      return <input type="date" {...common} value={text} min={ask.min} max={ask.max ?? '9999-12-31'} />;
    case 'instant':
      return (
        <>
          <input type="datetime-local" step="any" {...common} value={localTime(text, way.timeZone)} />
          <input type="hidden" name={common.name} form={more.form} value={way.timeZone} />
        </>
      );
    case 'number':
      // A number control of a browser silently drops a comma.
      return <input inputMode="decimal" {...common} value={numberInControl(text, way.locale)} />;
    case 'tick':
      return (
        <label class="tick">
          <input type="checkbox" {...common} value="true" checked={value === true || value === 'true'} />
          Yes
        </label>
      );
    case 'person':
      return (
        <Choice
          {...common}
          options={isSignedInReader(reader) ? peopleOf(reader) : []}
          chosen={text}
          none="Nobody"
        />
      );
    case 'option':
      return (
        <Choice
          {...common}
          options={ask.options.map((option) => [option, option])}
          chosen={text}
          {...(ask.isRequired !== true && { none: 'None' })}
        />
      );
    case 'options':
      return (
        <Choices
          {...common}
          options={ask.options.map((option) => [option, option])}
          chosen={Array.isArray(value) ? value.map(String) : []}
        />
      );
    case 'line':
      // For a wrong address, browsers would show messages of their own.
      return <input inputMode={ask.type ?? 'text'} {...common} value={text} maxLength={ask.maxLength} />;
    case 'files':
      return <input type="file" multiple={ask.limit !== 1} {...common} />;
  }
}

interface ControlProps {
  readonly ask: AskedField;
  readonly value: Output;
  readonly id: string;
  /** How values are written, if not as for the reader. */
  readonly way?: WayOfWriting | undefined;
  /** The name of the control; `value` by default. */
  readonly name?: string;
  /** The id of its form, if it is outside that form. */
  readonly form?: string;
  /** Whether it gets the focus; true by default. */
  readonly autofocus?: boolean;
  readonly 'aria-required'?: boolean;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-labelledby'?: string;
}

function localTime(text: string, timeZone: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : exactTimeIn(timeZone, at);
}

/** A choice of one option or none. If the present value is no longer an option, it can stay. */
export function Choice({ options, chosen, none, ...more }: ChoiceProps): VNode {
  const isKnown = chosen === '' || options.some(([value]) => value === chosen);
  return (
    <select {...more}>
      {none !== undefined && <option value="">{none}</option>}
      {!isKnown && (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
      {options.map(([value, label]) => (
        <option value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
  /** The text for no choice; absent if a choice is required. */
  readonly none?: string;
  readonly id?: string;
  readonly autofocus?: boolean;
  readonly 'aria-label'?: string;
}

/** A choice of several options. Present values that are no longer options can stay. */
export function Choices({ options, chosen, name, form, autofocus = false, ...more }: ChoicesProps): VNode {
  const gone = chosen.filter((value) => !options.some(([known]) => known === value));
  return (
    <fieldset class="choices stack" {...more}>
      {[...options, ...gone.map((value) => [value, value] as const)].map(([value, label], index) => (
        <label class="tick">
          <input
            type="checkbox"
            {...{ name, form, value }}
            checked={chosen.includes(value)}
            autofocus={autofocus && index === 0}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface ChoicesProps {
  readonly name: string;
  readonly form?: string;
  readonly autofocus?: boolean;
  readonly options: readonly (readonly [value: string, label: ComponentChildren])[];
  readonly chosen: readonly string[];
  readonly id: string;
}

/** The people to choose from: the active users, by e-mail, which tells apart those of one name. */
export function peopleOf({ workspace: { users } }: Pick<SignedIn, 'workspace'>): [string, string][] {
  const active = users.ranked.flatMap((id) => users.get(id) ?? []).filter((user) => user.active);
  const seen = new Set<string>();
  const shared = new Set(active.map(nameOfPerson).filter((name) => seen.size === seen.add(name).size));
  return active.map((user) => {
    const name = nameOfPerson(user);
    return [user.email, shared.has(name) ? `${name} · ${user.email}` : name];
  });
}

export type SentValues = string | boolean | readonly string[];

/** A control may show only a part of the value, and must not change the rest. */
export function isUnchanged(
  ask: AskedField,
  value: Output,
  sent: readonly string[],
  { timeZone, locale }: WayOfWriting,
): boolean {
  const text = typeof value === 'string' ? value : '';
  // A form tells in which time zone it was made, because the reader may have opened another browser since.
  const [time, zone = null] = sent;
  if (ask.by === 'instant') return time === localTime(text, zoneOfPerson(zone, timeZone));
  const shown = shownBy(ask, value, ask.by === 'number' ? numberInControl(text, locale) : text);
  const lines = sent.map((text) => sentText(text));
  return lines.length === shown.length && shown.every((text, at) => text === lines[at]);
}

/** The values that an unchanged control sends. */
function shownBy(ask: AskedField, value: Output, text: string): readonly string[] {
  if (ask.by === 'options') return Array.isArray(value) ? value.map(String) : [];
  if (ask.by === 'tick') return value === true ? ['true'] : [];
  // Browsers send all line breaks of a text in the same form, whatever the text contained.
  return [text.replace(/\r\n?/g, '\n')];
}

/** A text in the form of the API. Forms send a line break as two characters. */
export const sentText = (text: string): string => text.replaceAll('\r\n', '\n');

export function sentValue(
  ask: AskedField,
  values: readonly string[],
  { timeZone, locale }: WayOfWriting,
): SentValues {
  const [value = '', zone = null] = values;
  if (ask.by === 'options') return values;
  if (ask.by === 'tick') return value === 'true';
  if (ask.by === 'instant') return instantAt(zoneOfPerson(zone, timeZone), value);
  if (ask.by === 'number') return typedNumber(value, locale);
  return ask.by === 'lines' ? sentText(value) : value;
}

export type WayOfWriting = Pick<SignedIn, 'timeZone' | 'locale'>;

/** The values of some controls in a form. A form sends nothing for an unticked box. */
export function answersIn(
  sent: URLSearchParams,
  asked: readonly { readonly name: string; readonly ask: AskedField }[],
  way: WayOfWriting,
): ReadonlyMap<string, SentValues> {
  const isSent = ({ by }: AskedField, name: string): boolean =>
    by !== 'files' && (sent.has(name) || by === 'tick' || by === 'options');
  const answered = asked.filter(({ name, ask }) => isSent(ask, name));
  return new Map(answered.map(({ name, ask }) => [name, sentValue(ask, sent.getAll(name), way)]));
}
