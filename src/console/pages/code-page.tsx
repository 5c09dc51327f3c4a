import { type VNode } from 'preact';
import { Form } from '../parts/form.js';
import { formNotice } from '../parts/notices.js';
import { Labelled } from '../parts/labelled.js';
import { type Reader } from '../reader.js';
import { Card } from './sign-in-page.js';

/** Where the code of a mail is entered; it looks the same whether somebody here has the address or not. */
export function CodePage({ to, email, isRefused = false }: CodePageProps): VNode {
  const { signIn } = to.words;
  const messages = isRefused ? ['is wrong, used up or too old'] : [];
  const notice = formNotice([{ text: to.words.faulty }], [{ id: 'code', label: signIn.code, messages }]);
  return (
    <Card to={to} title={to.words.signIn.title} notice={isRefused ? notice : undefined}>
      <p>{signIn.sent}</p>
      <p class="line">{email}</p>
      <Form action="/sign-in/code" data-turbo="false">
        <Labelled
          to={to}
          id="code"
          label={signIn.code}
          hint={signIn.codeHint}
          messages={messages}
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
          {signIn.title}
        </button>
      </Form>
      <p class="muted">
        <a href="/sign-in">{signIn.another}</a>
      </p>
    </Card>
  );
}

interface CodePageProps {
  readonly to: Reader;
  /** To which a mail was asked for. */
  readonly email: string;
  /** Whether a code was entered that does not sign in. */
  readonly isRefused?: boolean;
}
