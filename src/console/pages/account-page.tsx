import { type VNode } from 'preact';
import { type ListedSession } from '../../access/sessions.js';
import { unseenByDeputy } from '../../actions/requirements/approvals/who-may-approve.js';
import { type MailChoice, mailChoices } from '../../common/column-values.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { type Absence } from '../../workflows/fields/field-type.js';
import { ConsolePage } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Choice, peopleOf } from '../parts/control.js';
import { ButtonForm, Form } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Labelled, Question } from '../parts/labelled.js';
import { type Notice, refusedForm } from '../parts/notices.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { writeValue } from '../parts/value.js';
import { Section } from '../parts/section.js';
import { nameOfPerson, useReader } from '../reader.js';

export function AccountPage({ sessions, mail, absence, isDone, ...calendar }: AccountProps): VNode {
  const reader = useReader();
  const { user, session: present } = reader;
  const rows = sessions.map(({ browser, createdAt, lastSeenAt, hash }) => [
    <>
      {shortName(browser)} {present.hash.equals(hash) && <Badge tone="accent">this browser</Badge>}
    </>,
    <Instant at={createdAt} />,
    <Instant at={lastSeenAt} isShort />,
  ]);
  return (
    <ConsolePage title="Account" notice={absenceNotice(absence) ?? (isDone ? done : undefined)}>
      <div class="column stack">
        <h1>Account</h1>
        <p class="line">
          <Person user={user} />
          <span class="muted">{user.email}</span>
        </p>
        <h2>Where you are signed in</h2>
        <Table
          caption="Where you are signed in"
          head={['Browser', 'Since', 'Last used']}
          rows={rows}
          isStacked
        />
        <div class="actions">
          <ButtonForm action="/sign-out">Sign out</ButtonForm>
          <ButtonForm action="/sign-out/everywhere">Sign out everywhere</ButtonForm>
        </div>
        {mail !== undefined && <MailSection chosen={mail} />}
        <AbsenceSection refused={absence} />
        <CalendarSection {...calendar} />
      </div>
    </ConsolePage>
  );
}

interface AccountProps extends CalendarProps {
  readonly sessions: readonly ListedSession[];
  /** Undefined if the service has no mail server. */
  readonly mail: MailChoice | undefined;
  readonly absence: RefusedAbsence | undefined;
  /** Whether the reader has just saved something. */
  readonly isDone: boolean;
}

const done: Notice = { tone: 'good', lines: ['Done.'] };

/** The common names of a browser and its system, from its `User-Agent`. */
function shortName(browser: string): string {
  const [, name] = /\b(Firefox|Edg|OPR|Chrome|Safari)\b/.exec(browser) ?? [];
  const [, system] = /\b(Windows|Macintosh|iPhone|iPad|Android|Linux)\b/.exec(browser) ?? [];
  const shown = name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : name;
  return [shown ?? (browser.slice(0, 40) || '–'), system].filter(Boolean).join(', ');
}

function MailSection({ chosen }: { readonly chosen: MailChoice }): VNode {
  return (
    <Section id="notifications" title="Mail">
      <Form action="/account/notifications" class="entry stack gap-3">
        <Labelled
          id="mail"
          label="Notifications that you have not read"
          control={(attributes) => (
            <Choice
              name="mail"
              options={mailChoices.map((each) => [each, choiceNames[each]])}
              chosen={chosen}
              {...attributes}
            />
          )}
        />
        <div class="actions">
          <button type="submit">Save</button>
        </div>
      </Form>
    </Section>
  );
}

const choiceNames = {
  all: 'By mail, and watched tasks in a daily digest',
  direct: 'By mail, without the digest',
  none: 'Only in the inbox',
} satisfies Record<MailChoice, string>;

export interface RefusedAbsence {
  readonly away: Absence | null;
  readonly faults: InvalidFields['fields'];
}

function AbsenceSection({ refused }: { readonly refused: RefusedAbsence | undefined }): VNode | null {
  const reader = useReader();
  const known = reader.user.away ?? undefined;
  const shown = refused?.away ?? known;
  const deputy = known && reader.workspace.users.find(known.to);
  const unseen = deputy ? unseenByDeputy(reader.workflows, reader.user.id, deputy.id) : [];
  const others = peopleOf(reader).filter(([email]) => email !== reader.user.email);
  if (others.length === 0) return null;
  const write = (as: 'day' | 'person', value: string): string => writeValue(reader, { as }, value) ?? value;
  return (
    <Section id="absence" title="Absence">
      <p class="muted">
        While you are away, your deputy decides on the approvals that wait for you. You can still decide
        yourself.
      </p>
      {known && (
        <p>
          Away from {write('day', known.from)}, back on {write('day', known.until)};{' '}
          {write('person', known.to)} decides.
        </p>
      )}
      {deputy && unseen.length > 0 && (
        <p class="fault">
          <Icon name="warning" />
          <span>
            {nameOfPerson(deputy)} does not see all tasks of {unseen.map(({ name }) => name).join(', ')}, and
            can decide only on tasks that they see.
          </span>
        </p>
      )}
      <Form action="/account/absence" class="decide stack">
        {days.map(([name, label]) => (
          <Question
            id={`away-${name}`}
            name={name}
            label={label}
            ask={{ by: 'day' }}
            value={shown?.[name] ?? ''}
            isRequired
          />
        ))}
        <Labelled
          id="away-to"
          label={DEPUTY}
          isRequired
          control={(attributes) => (
            <Choice name="to" options={others} chosen={shown?.to ?? ''} none="Choose" {...attributes} />
          )}
        />
        <div class="actions">
          <button type="submit">Save absence</button>
        </div>
      </Form>
      {known && (
        <ButtonForm action="/account/absence" fields={{ clear: 'yes' }}>
          I am not away
        </ButtonForm>
      )}
    </Section>
  );
}

const days = [['from', 'From'], ['until', 'First day back']] as const; // prettier-ignore
const DEPUTY = 'Who decides';

function absenceNotice(refused: RefusedAbsence | undefined): Notice | undefined {
  const controls = [...days, ['to', DEPUTY] as const].map(([name, label]) => ({
    id: `away-${name}`,
    label,
    name,
  }));
  return refused && refusedForm(controls, refused.faults);
}

function CalendarSection({ calendar, hasCalendar }: CalendarProps): VNode {
  return (
    <Section id="calendar" title="Calendar">
      <p>Subscribe to your deadlines in your calendar. Anybody with the address can read them.</p>
      {calendar !== undefined && (
        <ShownOnce title="The address of your calendar" secret={calendar}>
          This address is shown only now. Earlier addresses no longer work.
        </ShownOnce>
      )}
      <div class="actions">
        <ButtonForm action="/account/calendar" isWhole>
          {hasCalendar ? 'Make another address' : 'Make an address'}
        </ButtonForm>
        {hasCalendar && <ButtonForm action="/account/calendar/remove">Remove the address</ButtonForm>}
      </div>
    </Section>
  );
}

interface CalendarProps {
  /** The URL of the calendar, if this request created the URL; otherwise undefined. */
  readonly calendar: string | undefined;
  readonly hasCalendar: boolean;
}
