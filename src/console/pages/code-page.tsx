import { type VNode } from 'preact';
import { Form } from '../parts/form.js';
import { formNotice } from '../parts/notices.js';
import { Labelled } from '../parts/labelled.js';
import { Card } from './sign-in-page.js';

/** Where the code of a mail is entered; it looks the same whether somebody here has the address or not. */
export function CodePage({ email, isRefused = false }: CodePageProps): VNode {
  const messages = ['is wrong, used up or too old'];
  const notice = formNotice([{ id: 'code', label: 'Code', messages }]);
  return (
    <Card title="Sign in" notice={isRefused ? notice : undefined}>
      <p>If a user has this address, a mail with a link and a code is on its way:</p>
      <p class="line">{email}</p>
      <Form action="/sign-in/code" data-turbo="false">
        <Labelled
          id="code"
          label="Code"
          hint="Six digits, valid for 15 minutes in this browser."
          control={(attributes) => (
            <input
              {...attributes}
              name="code"
              required
              maxLength={20}
              inputMode="numeric"
              autocomplete="one-time-code"
              autofocus={!isRefused}
            />
          )}
        />
        <button type="submit" class="primary wide">
          Sign in
        </button>
      </Form>
      <p class="muted">
        <a href="/sign-in">Request another mail</a>
      </p>
    </Card>
  );
}

interface CodePageProps {
  /** To which a mail was asked for. */
  readonly email: string;
  /** Whether a code was entered that does not sign in. */
  readonly isRefused?: boolean;
}
