import { type VNode } from 'preact';
import { Form } from '../parts/form.js';
import { Labelled } from '../parts/labelled.js';

/** Asks for a mail that signs in. */
export function MailForm({ isOnly, mail }: MailFormProps): VNode {
  return (
    <Form action="/sign-in/mail" data-turbo="false">
      <Labelled
        id="email"
        label="Your e-mail address"
        control={(attributes) => (
          <input
            {...attributes}
            type="email"
            name="email"
            value={mail ?? ''}
            required
            maxLength={254}
            autocomplete="email"
            autofocus={isOnly && mail === undefined}
          />
        )}
      />
      <button type="submit" class={isOnly ? 'primary wide' : 'wide'}>
        Send me a link
      </button>
    </Form>
  );
}

interface MailFormProps {
  /** Whether there is no other way to sign in. */
  readonly isOnly: boolean;
  /** What was entered and is no address. */
  readonly mail: string | undefined;
}
