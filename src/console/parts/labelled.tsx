import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type SentValues } from './control.js';
import { Icon } from './icon.js';
import { type ControlFault, type Notice } from './notices.js';
import { Sayings, said } from './sayings.js';

/** A control with its label, what helps to fill it in, and what is wrong with what was entered. */
export function Labelled({ id, label, hint, control, ...more }: LabelledProps): VNode {
  const { isGroup = false, isRequired = false } = more;
  const { sent, attributes, fault } = useFault(id, hint && `${id}-hint`);
  return (
    <div class="control">
      <label id={`${id}-label`} {...(!isGroup && { for: id })}>
        {label}
        {isRequired && <RequiredMark />}
      </label>
      {hint !== undefined && (
        <p class="muted small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {control(
        {
          id,
          ...(isGroup && { 'aria-labelledby': `${id}-label` }),
          ...(isRequired && !isGroup && { 'aria-required': true }),
          ...attributes,
        },
        sent,
      )}
      {fault}
    </div>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Whether it is several controls with one name. */
  readonly isGroup?: boolean;
  readonly isRequired?: boolean;
  readonly control: (attributes: LabelledAttributes, sent: SentValues | undefined) => VNode;
}

/** The attributes that connect a control with its label, hint and faults. */
interface LabelledAttributes {
  readonly id: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-required'?: boolean;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

/** Stands behind the name of what must not be blank. */
export const RequiredMark = (): VNode => (
  <span class="required" title="required">
    {' *'}
    <span class="visually-hidden">required</span>
  </span>
);

/** The notice of the page, for its controls: what it says of each stands at that control too. */
const PageNotice = createContext<Notice | undefined>(undefined);
export const PageNoticeProvider = PageNotice.Provider;

/** What the page says of the control of this id; `hint` is the id of what helps to fill it in. */
export function useFault(id: string, hint?: string): ControlState {
  const { faults = [], sent } = useContext(PageNotice) ?? {};
  const messages = faults.find((fault) => fault.id === id)?.messages ?? [];
  const isWrong = messages.length > 0;
  const described = [...(hint === undefined ? [] : [hint]), ...(isWrong ? [`${id}-fault`] : [])];
  return {
    isWrong,
    sent: sent?.get(id),
    attributes: {
      ...(isWrong && { 'aria-invalid': true }),
      ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    },
    fault: <Faults id={`${id}-fault`} messages={messages} />,
  };
}

/** A control of a form that may have been refused. */
interface ControlState {
  readonly isWrong: boolean;
  /** What was sent and not taken: it stays in the control. */
  readonly sent: SentValues | undefined;
  readonly attributes: Pick<LabelledAttributes, 'aria-invalid' | 'aria-describedby'>;
  /** What is said beneath it. */
  readonly fault: VNode | null;
}

/** What is wrong with what was entered; the control names it by `aria-describedby`, and the notice of its form reads it out. */
export function Faults({ id, messages }: Omit<ControlFault, 'label'>): VNode | null {
  if (messages.length === 0) return null;
  return (
    <p class="fault" id={id}>
      <Icon name="warning" />
      <Sayings all={messages.map(said)} />
    </p>
  );
}
