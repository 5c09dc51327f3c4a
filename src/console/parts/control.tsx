import { type AriaAttributes, type ComponentChildren, type VNode } from 'preact';
import { type Output, type AskedField } from '../../workflows/fields/field-type.js';
import { zoneOfPerson } from '../../messages/inbox/mail/next-digest.js';
import { absenceOf } from './avatar.js';
import { isSignedInReader, useAnybody, useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { localTimeIn, instantAt } from './time.js';
import { numberInControl, typedNumber } from './number.js';

/** The control that asks for a value. `value` is the current value, as the API writes it. */
export function Control({ ask, value, way = useReader(), ...more }: ControlProps): VNode {
  const reader = useAnybody();
  const common = { name: 'value', autofocus: true, ...more };
  const chosen = textsOf(ask, value, way);
  const [text = ''] = chosen;
  const options = 'options' in ask ? ask.options.map((option) => [option, option] as const) : [];
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
          <input type="datetime-local" step="any" {...common} value={text} />
          <input type="hidden" name={common.name} value={way.timeZone} />
        </>
      );
    case 'number':
      // A control of the type `number` would silently drop a comma.
      return <input inputMode="decimal" {...common} value={text} />;
    case 'tick':
      return (
        <label class="tick">
          <input type="checkbox" {...common} value="true" checked={text !== ''} />
          Yes
        </label>
      );
    case 'person': {
      const people = isSignedInReader(reader) ? peopleOf(reader) : [];
      return <Choice {...common} options={people} chosen={text} none="Nobody" />;
    }
    case 'option':
      return (
        <Choice {...common} options={options} chosen={text} none={ask.isRequired ? undefined : 'None'} />
      );
    case 'options':
      return <Choices {...common} options={options} chosen={chosen} />;
    case 'line':
      // With the type `email`, browsers would show their own messages.
      return <input inputMode={ask.type ?? 'text'} {...common} value={text} maxLength={ask.maxLength} />;
    case 'files':
      return <input type="file" multiple={ask.limit !== 1} {...common} />;
  }
}

interface ControlProps extends AriaAttributes {
  readonly ask: AskedField;
  readonly value: Output;
  readonly id: string;
  /** The time zone and locale in which the control writes values; those of the reader by default. */
  readonly way?: WayOfWriting | undefined;
  /** The name of the control; `value` by default. */
  readonly name?: string;
  /** Whether the control gets the focus; true by default. */
  readonly autofocus?: boolean;
}

/** The texts that the control shows, and sends back if the user changes nothing. */
function textsOf(ask: AskedField, value: Output, { timeZone, locale }: WayOfWriting): readonly string[] {
  if (ask.by === 'options') return Array.isArray(value) ? value.map(String) : [];
  if (ask.by === 'tick') return value === true || value === 'true' ? ['true'] : [];
  const text = typeof value === 'string' ? value : '';
  if (ask.by === 'number') return [numberInControl(text, locale)];
  if (ask.by === 'instant' && !Number.isNaN(Date.parse(text))) return [localTimeIn(timeZone, new Date(text))];
  return [text];
}

/** A choice of one option. A current value that is no longer an option can be kept. */
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

interface ChoiceProps<Chosen = string, Label = string> extends AriaAttributes {
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: Label])[];
  readonly chosen: Chosen;
  /** The text of the empty choice. If absent, there is no empty choice. */
  readonly none?: string | undefined;
  readonly id?: string;
  readonly autofocus?: boolean;
}

/** A choice of several options. Current values that are no longer options can be kept. */
export function Choices({ options, chosen, name, autofocus = false, ...more }: ChoicesProps): VNode {
  const gone = chosen.filter((value) => !options.some(([known]) => known === value));
  return (
    <fieldset class="choices stack" {...more}>
      {[...options, ...gone.map((value) => [value, value] as const)].map(([value, label], index) => (
        <label class="tick">
          <input
            type="checkbox"
            name={name}
            value={value}
            checked={chosen.includes(value)}
            autofocus={autofocus && index === 0}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

type ChoicesProps = ChoiceProps<readonly string[], ComponentChildren>;

/**
 * The e-mail address and name of each active user, and until when the user is away. If users share a name, the
 * address follows the name.
 */
export function peopleOf(reader: SignedIn): [string, string][] {
  const { users } = reader.workspace;
  const active = users.ranked.flatMap((id) => users.get(id) ?? []).filter((user) => user.active);
  const seen = new Set<string>();
  const shared = new Set(active.map(nameOfPerson).filter((name) => seen.size === seen.add(name).size));
  return active.map((user) => {
    const name = nameOfPerson(user);
    const known = shared.has(name) ? `${name} · ${user.email}` : name;
    return [user.email, known + absenceOf(reader, user)];
  });
}

export type SentValues = string | boolean | readonly string[];

/**
 * Whether the user left a control unchanged. This compares the control's texts, because a control may show
 * only a part of the value.
 */
export function isUnchanged(
  ask: AskedField,
  value: Output,
  sent: readonly string[],
  way: WayOfWriting,
): boolean {
  const isTime = ask.by === 'instant';
  // The form contains the time zone of its times, because the zone of the reader may have changed meanwhile.
  const timeZone = isTime ? zoneOfPerson(sent[1] ?? null, way.timeZone) : way.timeZone;
  const texts = (isTime ? sent.slice(0, 1) : sent).map(sentText);
  // Browsers send every line break of a text as CR LF, whichever line breaks the text contained.
  const shown = textsOf(ask, value, { ...way, timeZone }).map((text) => text.replace(/\r\n?/g, '\n'));
  return texts.length === shown.length && shown.every((text, at) => text === texts[at]);
}

/** Replaces CR LF, which forms send for each line break, by LF. */
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

/**
 * Reads the values of the given controls from a form. Browsers send nothing for an unticked box, so a box
 * that is missing in the form is unticked.
 */
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
