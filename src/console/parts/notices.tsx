import { type VNode, type ComponentChildren } from 'preact';
import { type SentValues } from './control.js';
import { Icon, type IconName } from './icon.js';
import { Sayings } from './sayings.js';
import { Refusal, type RefusalKind } from '../../common/errors.js';
import { InvalidFields, sentencesOf } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';

export interface Notice {
  readonly tone: 'good' | 'bad' | 'waiting';
  readonly lines: readonly Message[];
  readonly faults?: readonly ControlFault[];
  /** Maps the id of a control to its refused value. */
  readonly sent?: ReadonlyMap<string, SentValues>;
  readonly more?: VNode | null;
}

/** A control of a form. Services report the faults of its value under `name`. */
export interface NamedControl {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  /** The sent value, if the page needs it to fill in the control again. */
  readonly sent?: SentValues | undefined;
}

export interface ControlFault extends NamedControl {
  readonly messages: readonly Message[];
}

export const sentIn = (controls: readonly NamedControl[]): ReadonlyMap<string, SentValues> =>
  new Map(controls.flatMap(({ id, sent }) => (sent === undefined ? [] : [[id, sent] as const])));

/**
 * The notice about a refused form. It shows `lead`, then the faults that belong to no control, then a
 * link to each control with a fault. `useFault` shows the same faults beside the control.
 */
export function refusedForm(
  controls: readonly NamedControl[],
  fields: InvalidFields['fields'],
  lead: readonly Message[] = [],
): Notice {
  const faults = controls.map((control) => ({
    ...control,
    messages: fields.flatMap(([name, messages]) => (name === control.name ? messages : [])),
  }));
  const others = fields.filter(([name]) => !controls.some((control) => control.name === name));
  const lines = [...lead, ...sentencesOf(others)];
  return {
    tone: 'bad',
    lines: lines.length > 0 ? lines : ['Correct the marked fields.'],
    faults: faults.filter(({ messages }) => messages.length > 0),
    sent: sentIn(controls),
  };
}

/**
 * The faults of a refused form. A refusal of one of `kinds` becomes a fault of `name`. Other errors are
 * rethrown.
 */
export function faultsOfForm(
  error: unknown,
  kinds: readonly RefusalKind[],
  name = 'base',
): InvalidFields['fields'] {
  if (error instanceof InvalidFields) return error.fields;
  if (error instanceof Refusal && kinds.includes(error.kind)) return [[name, [error.said]]];
  throw error;
}

/** A notice that something was refused; undefined if `lines` is empty. */
export function refusalOf(lines: readonly Message[]): Notice | undefined {
  return lines.length > 0 ? { tone: 'bad', lines } : undefined;
}

const icons = { good: 'check', bad: 'warning', waiting: 'time' } as const;

/**
 * Shows the notice. A refusal gets the focus and links to the controls with faults. The live region announces
 * any other notice.
 */
export function Notices({ notice }: { readonly notice: Notice | undefined }): VNode {
  const { tone, faults = [] } = notice ?? {};
  const content = notice && (
    <>
      <Icon name={icons[notice.tone]} />
      <Sayings all={notice.lines} />
      {notice.more}
    </>
  );
  return (
    <div class="notices">
      <div id="notices">{content && tone !== 'bad' && <div class={`notice ${tone}`}>{content}</div>}</div>
      {tone === 'bad' && (
        <div class="notice bad" role="alert" id="refusal" tabIndex={-1} autofocus>
          {content}
          {faults.length > 0 && (
            <ul class="faults">
              {faults.map(({ id, label, messages }) => (
                <li>
                  <a href={`#${id}`} data-turbo="false">
                    {label}
                    {messages.length > 0 && ': '}
                    <Sayings all={messages} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  );
}

/** The text for an empty list, or for a page without content. */
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
  /** Whether the text is the only content of the page. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}
