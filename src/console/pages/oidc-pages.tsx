import { type VNode } from 'preact';
import { Form, Hidden } from '../parts/form.js';
import { type Reader } from '../reader.js';
import { NotSignedInPage, SignInCard } from './sign-in-page.js';

/** Why an identity provider has not signed somebody in. */
export type OidcRefusal = 'away' | 'refused' | 'over' | 'unverified' | 'unknown';

/** Says why, and leads back. */
export function RefusedPage({ to, refusal, email }: RefusedPageProps): VNode {
  const { oidc } = to.words;
  return (
    <NotSignedInPage to={to} title={oidc[refusal]} more={oidc[`${refusal}More`]}>
      {refusal === 'unknown' && <p class="who">{email}</p>}
      <a class="button wide" href="/sign-in">
        {oidc.again}
      </a>
    </NotSignedInPage>
  );
}

interface RefusedPageProps {
  readonly to: Reader;
  readonly refusal: OidcRefusal;
  /** Of the account, where nobody here has it. */
  readonly email: string | undefined;
}

/** A link into a workspace. */
export interface WorkspaceLink {
  readonly workspace: string;
  readonly token: string;
}

/** For who is a user of several workspaces. */
export function ChoicePage({ to, links, asked }: ChoicePageProps): VNode {
  return (
    <SignInCard to={to}>
      <p>{to.words.oidc.several}</p>
      {links.map(({ workspace, token }) => (
        <Form action={`/sign-in/${token}`}>
          <Hidden fields={{ asked }} />
          <button type="submit" class="wide">
            {workspace}
          </button>
        </Form>
      ))}
    </SignInCard>
  );
}

interface ChoicePageProps {
  readonly to: Reader;
  readonly links: readonly WorkspaceLink[];
  /** Where to go then. */
  readonly asked: string;
}
