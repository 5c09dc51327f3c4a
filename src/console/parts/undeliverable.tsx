import { type VNode } from 'preact';
import { type SignedIn } from '../reader.js';
import { ButtonForm } from './form.js';
import { Instant } from './time.js';

/** Says that mail to the reader comes back, and how to have it sent again. */
export function Undeliverable({ to, since }: UndeliverableProps): VNode | null {
  if (since === undefined) return null;
  const { title, since: said, again } = to.words.mail.undeliverable;
  return (
    <section class="column" id="mail" aria-labelledby="mail-name">
      <h2 id="mail-name">{title}</h2>
      <p>
        {said(to.user.email)} <Instant at={since} to={to} />.
      </p>
      <div class="actions">
        <ButtonForm action="/account/mail">{again}</ButtonForm>
      </div>
    </section>
  );
}

interface UndeliverableProps {
  readonly to: SignedIn;
  /** Undefined where mail is delivered. */
  readonly since: Date | undefined;
}
