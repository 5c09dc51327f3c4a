import { type ScopedRequest } from '../workflows/model/current.decorators.js';
import { type Request } from 'express';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Session } from '../access/sessions.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Administration } from '../workflows/model/roles.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { type InboxState } from '../messages/inbox/inboxes.js';
import { type View } from '../workflows/model/kinds/views.kind.js';

/** Who views a page, and how dates and numbers are written for this reader. */
export interface Reader {
  /**
   * The language of the page and the format of dates and numbers. The locale is English with the region of
   * the browser, such as `en-AT`.
   */
  readonly locale: string;
  readonly path: string;
  readonly service: string;
}

export interface SignedIn extends Reader {
  readonly session: Session;
  readonly user: User;
  readonly workspace: Workspace;
  /** The workflows in which the user may see tasks, in the order of the definition. */
  readonly workflows: readonly Workflow[];
  readonly views: readonly View[];
  readonly view: View | undefined;
  /** What the user administers; undefined if the user is no administrator. */
  readonly administers: Administration | undefined;
  /** The time zone of the browser. Until the browser has reported it, the time zone of the workspace. */
  readonly timeZone: string;
  readonly inbox: InboxState;
  readonly now: Date;
}

export interface PageRequest extends ScopedRequest {
  reader?: SignedIn;
}

export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useAnybody(): Reader {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error('A part is rendered outside of a page.');
  return reader;
}

export function useReader(): SignedIn {
  const reader = useAnybody();
  if (isSignedInReader(reader)) return reader;
  throw new Error('A part for signed-in users was rendered on a public page.');
}

export const isSignedInReader = (reader: Reader): reader is SignedIn => 'session' in reader;

export function anybody(request: Request): Reader {
  return { locale: localeOf(request), path: request.path, service: serviceName(request) };
}

const serviceName = ({ app }: Request): string => String(app.get('service name'));

function localeOf(request: Request): string {
  try {
    const { region } = new Intl.Locale(request.acceptsLanguages()[0] ?? 'en').maximize();
    return region === undefined ? 'en' : `en-${region}`;
  } catch {
    // This happens if the header `Accept-Language` is absent, or if its first choice is no language tag.
    return 'en';
  }
}

/** The name of the user with this address, or the address if no user has it. */
export function nameOfEmail({ workspace }: SignedIn, email: string): string {
  const user = workspace.users.find(email);
  return user ? nameOfPerson(user) : email;
}

/** The name of a user. If the user has none, the part of the e-mail address before the `@`. */
export function nameOfPerson({ firstName, lastName, email }: User): string {
  return [firstName, lastName].filter(Boolean).join(' ') || (email.split('@')[0] ?? email);
}
