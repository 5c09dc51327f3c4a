import { type VNode } from 'preact';
import { useReader } from '../reader.js';
import { ButtonForm } from './form.js';
import { Instant } from './time.js';

/** Says that mail to the reader comes back, and how to have it sent again. */
export function Undeliverable({ since }: UndeliverableProps): VNode | null {
  const reader = useReader();
  if (since === undefined) return null;
  return (
    <section class="column" id="mail" aria-labelledby="mail-name">
      <h2 id="mail-name">Mail to you cannot be delivered</h2>
      <p>
        A mail server has permanently refused mail to {reader.user.email}. None has been sent since{' '}
        <Instant at={since} />.
      </p>
      <div class="actions">
        <ButtonForm action="/account/mail">My address works again</ButtonForm>
      </div>
    </section>
  );
}

interface UndeliverableProps {
  /** Undefined where mail is delivered. */
  readonly since: Date | undefined;
}
