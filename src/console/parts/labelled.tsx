import { type AriaAttributes, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type AskedField, type Output } from '../../workflows/fields/field-type.js';
import { Control, type SentValues, type WayOfWriting } from './control.js';
import { Icon } from './icon.js';
import { type ControlFault, type Notice } from './notices.js';
import { Sayings } from './sayings.js';

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
  readonly isGroup?: boolean;
  readonly isRequired?: boolean;
  readonly control: (attributes: AriaAttributes & { id: string }, sent: SentValues | undefined) => VNode;
}

/** A control with its label. After a refusal, the control shows the refused value. */
export function Question({ ask, value, name, way, isFirst = false, ...more }: QuestionProps): VNode {
  return (
    <Labelled
      {...more}
      isGroup={ask.by === 'options'}
      control={(attributes, sent) => (
        <Control
          {...attributes}
          ask={ask}
          name={name}
          way={way}
          value={sent ?? value}
          autofocus={isFirst && sent === undefined}
        />
      )}
    />
  );
}

interface QuestionProps extends Omit<LabelledProps, 'control' | 'isGroup'> {
  readonly ask: AskedField;
  readonly value: Output;
  readonly name: string;
  readonly way?: WayOfWriting | undefined;
  /** If true, the control gets the focus. A control that shows a refused value never gets it. */
  readonly isFirst?: boolean;
}

export const RequiredMark = (): VNode => (
  <span class="required" title="required">
    {' *'}
    <span class="visually-hidden">required</span>
  </span>
);

/** The page's notice. Each control reads its faults from the notice. */
const PageNotice = createContext<Notice | undefined>(undefined);
export const PageNoticeProvider = PageNotice.Provider;

/** What the page's notice says about the control with this id. `hint` is the id of the control's hint. */
export function useFault(id: string, hint?: string): ControlState {
  const { faults = [], sent: allSent } = useContext(PageNotice) ?? {};
  const messages = faults.find((fault) => fault.id === id)?.messages ?? [];
  const isWrong = messages.length > 0;
  const sent = allSent?.get(id);
  const isFilled = typeof sent === 'boolean' ? sent : sent !== undefined && sent.length > 0;
  const described = [...(hint === undefined ? [] : [hint]), ...(isWrong ? [`${id}-fault`] : [])];
  return {
    isWrong,
    sent,
    attributes: {
      // While a control shows a refused value, live.js does not refresh the page.
      ...(isFilled && { 'data-sent': true }),
      ...(isWrong && { 'aria-invalid': true }),
      ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    },
    fault: <Faults id={`${id}-fault`} messages={messages} />,
  };
}

interface ControlState {
  readonly isWrong: boolean;
  /** The refused value, which the control keeps. */
  readonly sent: SentValues | undefined;
  readonly attributes: AriaAttributes;
  readonly fault: VNode | null;
}

/** The faults of a value. The control refers to them by `aria-describedby`; the notice announces them. */
export function Faults({ id, messages }: Pick<ControlFault, 'id' | 'messages'>): VNode | null {
  if (messages.length === 0) return null;
  return (
    <p class="fault" id={id}>
      <Icon name="warning" />
      <Sayings all={messages} />
    </p>
  );
}
