import { type VNode, type ComponentChildren } from 'preact';
import { type SentValues } from './control.js';
import { Icon, type IconName } from './icon.js';
import { Sayings, type Said, said } from './sayings.js';
import { type InvalidFields, sentencesOf } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';

/** What a page says of what was just done, or could not be. */
export interface Notice {
  readonly tone: 'good' | 'bad' | 'waiting';
  readonly lines: readonly Said[];
  /** What is wrong with controls, which the page leads to. */
  readonly faults?: readonly ControlFault[];
  /** What was sent and not taken, by the ids of controls: it stays there. */
  readonly sent?: ReadonlyMap<string, SentValues>;
  readonly more?: VNode | null;
}

/** A control of a form. */
export interface NamedControl {
  readonly id: string;
  readonly label: string;
  /** Where the page knows only by this what was entered. */
  readonly sent?: SentValues | undefined;
}

export interface ControlFault extends NamedControl {
  /** As the API says them. */
  readonly messages: readonly Message[];
}

/** What was sent, by the ids of controls. */
export const sentIn = (controls: readonly NamedControl[]): ReadonlyMap<string, SentValues> =>
  new Map(controls.flatMap(({ id, sent }) => (sent === undefined ? [] : [[id, sent] as const])));

/**
 * That a form was refused: what is said of it as a whole, and each control that something is wrong with. Every form of the
 * console says it so: the page puts `Error:` into its title and begins with it, a link for each control; at the control
 * stands the same (`useFault`).
 */
export function formNotice(controls: readonly ControlFault[], lines: readonly Said[] = correctThem): Notice {
  const faults = controls.filter(({ messages }) => messages.length > 0);
  return { tone: 'bad', lines, faults, sent: sentIn(controls) };
}

const correctThem: readonly Said[] = [{ text: 'Correct the marked fields.' }];

/** The same, of faults by the names of values: each at its control, those of no control above, behind `lead`. */
export function refusedForm(
  controls: readonly ValueControl[],
  fields: InvalidFields['fields'],
  lead: readonly Said[] = [],
): Notice {
  const isKnown = (name: string): boolean => controls.some((control) => control.name === name);
  const others = sentencesOf(fields.filter(([name]) => !isKnown(name))).map(said);
  const lines = [...lead, ...others];
  const messagesOf = ({ name }: ValueControl) =>
    fields.flatMap(([of, messages]) => (of === name ? messages : []));
  const faults = controls.map((control) => ({ ...control, messages: messagesOf(control) }));
  return formNotice(faults, lines.length > 0 ? lines : correctThem);
}

/** A control and what services call its value. */
export interface ValueControl extends NamedControl {
  readonly name: string;
}

/** That something is done. */
export const goodNotice = (text: string): Notice => ({ tone: 'good', lines: [{ text }] });

/** That something was refused, where there is something to say of it. */
export function refusalOf(lines: readonly Said[]): Notice | undefined {
  return lines.length > 0 ? { tone: 'bad', lines } : undefined;
}

const icons = { good: 'check', bad: 'warning', waiting: 'clock' } as const;

/**
 * Says it in sight, wherever the page was scrolled to; the live region of the layout reads it out. A refusal takes the focus,
 * and leads to the controls that it is about.
 */
export function Notices({ notice }: { readonly notice: Notice | undefined }): VNode {
  const isBad = notice?.tone === 'bad';
  return (
    <div class="notices">
      <div id="notices">
        {notice && !isBad && (
          <div class={`notice ${notice.tone}`}>
            <Content notice={notice} />
          </div>
        )}
      </div>
      {isBad && (
        <div class="notice bad" role="alert" id="refusal" tabIndex={-1} autofocus>
          <Content notice={notice} />
          <ControlFaults faults={notice.faults ?? []} />
        </div>
      )}
    </div>
  );
}

function ControlFaults({ faults }: Required<Pick<Notice, 'faults'>>): VNode | null {
  if (faults.length === 0) return null;
  return (
    <ul class="faults">
      {faults.map(({ id, label, messages }) => (
        <li>
          <a href={`#${id}`} data-turbo="false">
            {label}
            {messages.length > 0 && ': '}
            <Sayings all={messages.map(said)} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Content({ notice: { tone, lines, more } }: { readonly notice: Notice }): VNode {
  return (
    <>
      <Icon name={icons[tone]} />
      <Sayings all={lines} />
      {more}
    </>
  );
}

/** Shown in place of an empty list: what the list holds, and how something gets there. */
export function Empty({ icon, title, isPage = false, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <Icon name={icon} />
      {isPage ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Whether it is all that the page says. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}
