import { eventTypes } from '../entities/column-values.js';
import { Described } from '../lib/described.js';
import { closed, instant, listOf, maybeText, oneOf, ref, textSchema } from '../openapi/vocabulary.js';
import { type Message, messageOfText, type Telling } from '../lib/message.js';

/** One change of one thing, but for its data. */
export class EventHead {
  @Described(textSchema('Unique, the same wherever the event shows.'))
  readonly id!: string;

  @Described(oneOf(eventTypes, 'What happened.'))
  readonly type!: string;

  @Described(instant('When it happened.'))
  readonly timestamp!: string;
}

/** The task of an event. */
export class EventTask {
  @Described(textSchema('As in its `Task URL`.'))
  readonly id!: string;

  @Described(maybeText('The value of its Unique ID field.'))
  readonly unique_id!: string | null;

  @Described(textSchema('Its `Task URL`.'))
  readonly url!: string;

  @Described({ type: 'integer', description: 'The version that it came to, as in its `ETag`.' })
  readonly version!: number | null;
}

/** What became of each step of an execution. */
export const stepOutcomes = listOf(
  closed(
    {
      name: textSchema('Of the step.'),
      status: oneOf(
        ['Success', 'Undone', 'Fail', 'Skipped'],
        'What became of it; Undone where a later step failed. A call that was answered stays Success.',
      ),
      because: textSchema('Why it failed, where the action went on all the same.'),
    },
    ['because'],
  ),
);

/** Why an execution failed and what became of its steps, as it is shown. */
export function toldEnd<Outcome extends { readonly because?: Message }>(
  kept: { readonly errors?: readonly string[] | null; readonly outcomes?: readonly Outcome[] },
  told: Telling,
): { readonly errors: Message[]; readonly outcomes: Outcome[] } {
  const errors = (kept.errors ?? []).map((text) => told(messageOfText(text)));
  const outcomes = (kept.outcomes ?? []).map((outcome) =>
    outcome.because === undefined ? outcome : { ...outcome, because: told(outcome.because) },
  );
  return { errors, outcomes };
}

/** The execution that made a change, or that an event is about, as it was recorded. */
export class EventExecution {
  @Described(textSchema('Of the execution that made the change, or that the event is about.'))
  readonly id: unknown;

  @Described(maybeText('The id of the action.'))
  readonly action: unknown;

  @Described(maybeText('The e-mail of the user, or null where the key itself acts.'))
  readonly performer!: string | null;

  @Described(ref('ExecutionStatus'))
  readonly status: unknown;

  @Described(listOf({ type: 'string' }), { optional: true })
  readonly errors?: unknown;

  @Described(stepOutcomes, { optional: true })
  readonly outcomes?: unknown;
}

/** Who made a change. */
export class Actor {
  @Described(oneOf(['key', 'user', 'definition', 'system'], 'What it is.'))
  readonly kind!: 'key' | 'user' | 'definition' | 'system';

  @Described(textSchema('The id of the key, or the e-mail of the user.'), { optional: true })
  readonly id?: string;

  @Described(maybeText('Of the key, or of who applied the definition.'), { optional: true })
  readonly name?: string | null;

  @Described({ type: 'integer', description: 'Of the definition.' }, { optional: true })
  readonly version?: number;
}
