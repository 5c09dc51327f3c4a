import { en } from './words.js';
import { type VNode } from 'preact';
import { type Message } from '../../lib/message.js';
import { type DryRun } from '../../rules/rule.dto.js';
import { Badge } from '../parts/badge.js';
import { Faults } from '../parts/form.js';
import { formNotice, type Notice } from '../parts/notices.js';
import { tones } from '../parts/run-line.js';
import { Sayings, said } from '../parts/sayings.js';
import { ListFilter } from './admin-list.js';
import { Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

/** A form that tries a rule on a task, with what came of it. It asks by GET, so its answer has an address. */
export function TrialPart({ path, trial }: TrialPartProps): VNode {
  const { time } = en;
  const { task = '', refused } = trial;
  return (
    <Section id="try" title={time.admin.dryRun}>
      <p class="muted">{time.admin.dryRunWhy}</p>
      <ListFilter path={path} button={time.admin.tryIt}>
        <label>
          <span>{time.admin.taskId}</span>
          <input
            type="text"
            id="try-task"
            name="task"
            value={task}
            required
            maxLength={255}
            aria-invalid={refused !== undefined}
            {...(refused !== undefined && { 'aria-describedby': 'try-fault' })}
          />
        </label>
      </ListFilter>
      <Faults id="try-fault" messages={refused === undefined ? [] : [refused]} />
      {trial.answer && <Answer answer={trial.answer} />}
    </Section>
  );
}

/** That there is no such task to try it on. */
export function trialNotice({}: Administrator, { refused }: Trial): Notice | undefined {
  if (refused === undefined) return undefined;
  const fault = { id: 'try-task', label: en.time.admin.taskId, messages: [refused] };
  return formNotice([{ text: en.faulty }], [fault]);
}

/** What was tried, and what the rule would do with it or why the task cannot be found. */
export interface Trial {
  readonly task?: string | undefined;
  readonly answer?: DryRun | undefined;
  readonly refused?: Message | undefined;
}

interface TrialPartProps {
  /** Of the page. */
  readonly path: string;
  readonly trial: Trial;
}

function Answer({ answer: { result, because, unmet } }: AnswerProps): VNode {
  const { time } = en;
  return (
    <div data-found>
      <p class="happening line">
        <Badge tone={result === null ? 'plain' : tones[result]}>
          {result === null ? time.admin.noRun : time.results[result]}
        </Badge>
        <Sayings all={[said(because)]} />
      </p>
      {unmet.length > 0 && (
        <ul class="unmet" aria-label={time.admin.unmet}>
          {unmet.map((message) => (
            <li>
              <Sayings all={[said(message)]} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface AnswerProps {
  readonly answer: DryRun;
}
