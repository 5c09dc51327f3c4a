import { type VNode } from 'preact';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Message } from '../../common/message.js';
import { Icon } from './icon.js';
import { type ControlFault, type Notice } from './notices.js';
import { Sayings, said } from './sayings.js';

/** The notice of the page, for its controls: what it says of each stands at that control too. */
const PageNotice = createContext<Notice | undefined>(undefined);
export const PageNoticeProvider = PageNotice.Provider;

/** How a control is marked that something is wrong with, and what is said beneath it. */
export interface MarkedControl {
  readonly isWrong: boolean;
  readonly attributes: FaultAttributes;
  readonly fault: VNode | null;
}

interface FaultAttributes {
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

/** What the page says of the control of this id; `hint` is the id of what helps to fill it in. */
export function useFault(id: string, hint?: string): MarkedControl {
  const { faults = [] } = useContext(PageNotice) ?? {};
  const { messages = [] }: Partial<ControlFault> = faults.find((fault) => fault.id === id) ?? {};
  const isWrong = messages.length > 0;
  const described = [...(hint === undefined ? [] : [hint]), ...(isWrong ? [`${id}-fault`] : [])];
  return {
    isWrong,
    attributes: {
      ...(isWrong && { 'aria-invalid': true }),
      ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    },
    fault: <Faults id={`${id}-fault`} messages={messages} />,
  };
}

/** What is wrong with what was entered; the control names it by `aria-describedby`, and the notice of its form reads it out. */
export function Faults({ id, messages }: FaultsProps): VNode | null {
  if (messages.length === 0) return null;
  return (
    <p class="fault" id={id}>
      <Icon name="warning" />
      <Sayings all={messages.map(said)} />
    </p>
  );
}

interface FaultsProps {
  readonly id: string;
  /** As the API says them. */
  readonly messages: readonly Message[];
}
