import { type VNode } from 'preact';
import { Form } from '../parts/form.js';
import { Labelled } from '../parts/labelled.js';
import { type Message } from '../../lib/message.js';
import { type Reader } from '../reader.js';

/** Asks for a mail that signs in. */
export function MailForm({ to, isOnly, mail, messages }: MailFormProps): VNode {
  const { signIn } = to.words;
  return (
    <Form action="/sign-in/mail" data-turbo="false">
      <Labelled
        to={to}
        id="email"
        label={signIn.email}
        messages={messages}
        control={(attributes) => (
          <input
            {...attributes}
            type="email"
            name="email"
            value={mail ?? ''}
            required
            maxLength={254}
            autocomplete="email"
            autofocus={isOnly && messages.length === 0}
          />
        )}
      />
      <button type="submit" class={isOnly ? 'primary wide' : 'wide'}>
        {signIn.sendMail}
      </button>
    </Form>
  );
}

interface MailFormProps {
  readonly to: Reader;
  /** Whether there is no other way to sign in. */
  readonly isOnly: boolean;
  /** What was entered and is no address. */
  readonly mail: string | undefined;
  /** What is wrong with that. */
  readonly messages: readonly Message[];
}
