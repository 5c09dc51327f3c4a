import { type VNode } from 'preact';
import { type Absence } from '../../schema/field-type.js';
import { Choice, peopleOf } from '../parts/control.js';
import { ButtonForm, Form } from '../parts/form.js';
import { formNotice, type Notice } from '../parts/notices.js';
import { Labelled } from '../parts/labelled.js';
import { writeValue } from '../parts/value.js';
import { type SignedIn } from '../reader.js';

/** An absence that could not be, and why. */
export interface RefusedAbsence {
  readonly away: Absence | null;
  readonly faults: readonly string[];
}

/** When the reader is away, and who decides for them then. */
export function AbsencePart({ to, refused }: AbsenceProps): VNode | null {
  const words = to.words.approvals.away;
  const known = to.user.away ?? undefined;
  const shown = refused?.away ?? known;
  const others = peopleOf(to).filter(([email]) => email !== to.user.email);
  if (others.length === 0) return null;
  const write = (as: 'day' | 'person', value: string): string => writeValue(to, { as }, value) ?? value;
  const day = (name: 'from' | 'until', label: string): VNode => (
    <Labelled
      to={to}
      id={`away-${name}`}
      label={label}
      messages={name === 'from' ? faultsOfAbsence(refused) : []}
      isRequired
      control={(attributes) => (
        <input type="date" name={name} value={shown?.[name] ?? ''} required {...attributes} />
      )}
    />
  );
  return (
    <section class="column" id="absence" aria-labelledby="absence-name">
      <h2 id="absence-name">{words.title}</h2>
      <p class="muted">{words.lead}</p>
      {known && (
        <p>{words.isAway(write('day', known.from), write('day', known.until), write('person', known.to))}</p>
      )}
      <Form action="/account/absence" class="decide stack">
        {day('from', words.from)}
        {day('until', words.until)}
        <Labelled
          to={to}
          id="away-to"
          label={words.to}
          messages={[]}
          control={(attributes) => (
            <Choice name="to" options={others} chosen={shown?.to ?? others[0]?.[0] ?? ''} {...attributes} />
          )}
        />
        <div class="actions">
          <button type="submit">{words.save}</button>
        </div>
      </Form>
      {known && (
        <ButtonForm action="/account/absence" fields={{ clear: 'yes' }}>
          {words.clear}
        </ButtonForm>
      )}
    </section>
  );
}

interface AbsenceProps {
  readonly to: SignedIn;
  readonly refused: RefusedAbsence | undefined;
}

const faultsOfAbsence = (refused: RefusedAbsence | undefined): readonly string[] => refused?.faults ?? [];

/** That an absence was refused, with the way to where it is entered. */
export function absenceNotice({ words }: SignedIn, refused: RefusedAbsence | undefined): Notice | undefined {
  const fault = { id: 'away-from', label: words.approvals.away.title, messages: faultsOfAbsence(refused) };
  return refused && formNotice([{ text: words.faulty }], [fault]);
}
