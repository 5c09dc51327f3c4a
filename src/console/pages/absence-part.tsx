import { type VNode } from 'preact';
import { type Absence } from '../../workflows/fields/field-type.js';
import { Choice, peopleOf } from '../parts/control.js';
import { ButtonForm, Form } from '../parts/form.js';
import { refusedForm, type Notice } from '../parts/notices.js';
import { Labelled } from '../parts/labelled.js';
import { writeValue } from '../parts/value.js';
import { useReader } from '../reader.js';

export interface RefusedAbsence {
  readonly away: Absence | null;
  readonly faults: readonly string[];
}

export function AbsencePart({ refused }: { readonly refused: RefusedAbsence | undefined }): VNode | null {
  const reader = useReader();
  const known = reader.user.away ?? undefined;
  const shown = refused?.away ?? known;
  const others = peopleOf(reader).filter(([email]) => email !== reader.user.email);
  if (others.length === 0) return null;
  const write = (as: 'day' | 'person', value: string): string => writeValue(reader, { as }, value) ?? value;
  const day = (name: 'from' | 'until', label: string): VNode => (
    <Labelled
      id={`away-${name}`}
      label={label}
      isRequired
      control={(attributes) => (
        <input type="date" name={name} value={shown?.[name] ?? ''} required {...attributes} />
      )}
    />
  );
  return (
    <section class="column" id="absence" aria-labelledby="absence-name">
      <h2 id="absence-name">Absence</h2>
      <p class="muted">
        While you are away, somebody else decides on what waits for your approval. You can still decide
        yourself.
      </p>
      {known && (
        <p>
          Away from {write('day', known.from)} until {write('day', known.until)}; {write('person', known.to)}{' '}
          decides.
        </p>
      )}
      <Form action="/account/absence" class="decide stack">
        {day('from', 'From')}
        {day('until', 'Until, not including')}
        <Labelled
          id="away-to"
          label="Who decides"
          control={(attributes) => (
            <Choice name="to" options={others} chosen={shown?.to ?? others[0]?.[0] ?? ''} {...attributes} />
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
    </section>
  );
}

/** The notice about a refused absence, with links to its controls. */
export function absenceNotice(refused: RefusedAbsence | undefined): Notice | undefined {
  return (
    refused && refusedForm([{ id: 'away-from', label: 'Absence', name: 'from' }], [['from', refused.faults]])
  );
}
