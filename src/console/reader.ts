import { type ScopedRequest } from '../workflows/model/current.decorators.js';
import { type Request } from 'express';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Session } from '../access/sessions.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Administration } from '../workflows/model/roles.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { type InboxState } from '../messages/inbox/inbox.js';
import { type View } from '../workflows/model/kinds/views.kind.js';

/** Whoever looks at a page, and how they are told. */
export interface Reader {
  /** How dates and numbers are written: in English, as in the region of the browser, such as `en-AT`. */
  readonly locale: string;
  /** The path of the page. */
  readonly path: string;
  /** What the service is called. */
  readonly service: string;
}

/** Somebody who is signed in. */
export interface SignedIn extends Reader {
  readonly session: Session;
  readonly user: User;
  readonly workspace: Workspace;
  /** Those of the workspace that the user knows of, in the order of its definition. */
  readonly workflows: readonly Workflow[];
  /** What they keep under names, and what is shared with them. */
  readonly views: readonly View[];
  /** The one that the page came from. */
  readonly view: View | undefined;
  /** What they administer; undefined where that is nothing. */
  readonly administers: Administration | undefined;
  /** In which times are shown and entered: of their browser, or of the workspace while that is unknown. */
  readonly timeZone: string;
  /** How much of their inbox is unread. */
  readonly inbox: InboxState;
  /** The time of the service. */
  readonly now: Date;
}

/** A request of the console, as its guards leave it. */
export interface PageRequest extends ScopedRequest {
  reader?: SignedIn;
}

/** Who looks at the page, for all of its parts. */
export const ReaderContext = createContext<Reader | undefined>(undefined);

/** Whoever looks at the page that is rendered, signed in or not. */
export function useAnybody(): Reader {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error('A part is rendered outside of a page.');
  return reader;
}

/** Who is signed in and looks at the page that is rendered. */
export function useReader(): SignedIn {
  const reader = useAnybody();
  if (isSignedInReader(reader)) return reader;
  throw new Error('A part for who is signed in stands on a page for everybody.');
}

export const isSignedInReader = (reader: Reader): reader is SignedIn => 'session' in reader;

/** How the sender of a request is told, whoever that is. */
export function anybody(request: Request): Reader {
  return { locale: localeOf(request), path: request.path, service: serviceName(request) };
}

/** As `WTS_CONSOLE_NAME` says. */
const serviceName = ({ app }: Request): string => String(app.get('service name'));

function localeOf(request: Request): string {
  try {
    const { region } = new Intl.Locale(request.acceptsLanguages()[0] ?? 'en').maximize();
    return region === undefined ? 'en' : `en-${region}`;
  } catch {
    // `*`, or no tag of a language.
    return 'en';
  }
}

/** What to call a user: by name, or else by what stands before the `@`. */
export function nameOfPerson({ firstName, lastName, email }: User): string {
  return [firstName, lastName].filter(Boolean).join(' ') || (email.split('@')[0] ?? email);
}
