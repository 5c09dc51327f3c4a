import { type VNode } from 'preact';
import { type Said } from '../messages/en.js';
import { type Reader } from '../reader.js';
import { Icon } from './icon.js';
import { Sayings } from './sayings.js';
import { type Message } from '../../lib/message.js';

/** What a page says of what was just done, or could not be. */
export interface Notice {
  readonly tone: 'good' | 'bad' | 'waiting';
  readonly lines: readonly Said[];
  /** What is wrong with controls, which the page leads to. */
  readonly faults?: readonly ControlFault[];
  readonly more?: VNode | null;
}

export interface ControlFault {
  /** The id of the control. */
  readonly id: string;
  readonly label: string;
  /** As the API says them. */
  readonly messages: readonly Message[];
}

/** That something was refused, where there is something to say of it. */
export function refusalOf(lines: readonly Said[]): Notice | undefined {
  return lines.length > 0 ? { tone: 'bad', lines } : undefined;
}

const icons = { good: 'check', bad: 'warning', waiting: 'clock' } as const;

/**
 * Says it in sight, wherever the page was scrolled to. A region that is always there is read out when something comes into
 * it; a refusal takes the focus, and leads to the controls that it is about.
 */
export function Notices({ to, notice }: { readonly to: Reader; readonly notice: Notice | undefined }): VNode {
  const isBad = notice?.tone === 'bad';
  return (
    <div class="notices">
      <div role="status" id="notices">
        {notice && !isBad && <Line notice={notice} />}
      </div>
      {isBad && (
        <div class="notice bad" role="alert" id="refusal" tabIndex={-1} autofocus>
          <Content notice={notice} />
          {notice.faults && notice.faults.length > 0 && (
            <ul class="faults">
              {notice.faults.map(({ id, label, messages }) => (
                <li>
                  <a href={`#${id}`} data-turbo="false">
                    {label}: <Sayings all={messages.map(to.words.said)} />
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

function Line({ notice }: { readonly notice: Notice }): VNode {
  return (
    <div class={`notice ${notice.tone}`}>
      <Content notice={notice} />
    </div>
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
