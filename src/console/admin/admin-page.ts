import { type Type } from '@nestjs/common';
import { type ComponentChildren } from 'preact';
import { Origin } from '../../common/origin.js';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Administration } from '../../workflows/model/roles.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type AskedOfPages } from '../console-controller.js';
import { type LivePage } from '../layout.js';
import { type IconName } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';
import { type FactRow } from './facts.js';

export interface Administrator extends SignedIn {
  readonly administers: Administration;
}

export interface AdminRequest extends AskedOfPages {
  readonly reader: Administrator;
  readonly get: <Service>(service: Type<Service>) => Service;
  /** The path of the requested list or thing. */
  readonly path: string;
}

/** A list of things that administrators manage, the page of each thing, and its operations. */
export interface AdminPage extends AdminList {
  /** The path below `/admin/`. */
  readonly path: string;
  /** The word for one thing in the log, such as `key` or `webhook`. */
  readonly one: string;
  /** Whether users must administer all workflows to see the page. */
  readonly isOfWorkspace?: true;
  readonly lead?: string;
  readonly live?: LivePage;
  /** Content between the heading and the list. */
  above?(asked: AdminRequest): Promise<ComponentChildren>;
  /** The operation that creates a thing. Its button is beside the heading. */
  create?(asked: AdminRequest): AdminCreation;
  /** The number of path segments that name a thing; 1 by default. */
  readonly keyLength?: number;
  open(key: readonly string[], asked: AdminRequest): Promise<AdminThing | undefined>;
}

export interface AdminList {
  readonly title: string;
  readonly icon: IconName;
  /** The text for an empty list. Not shown if the user has changed the filters or turned the page. */
  readonly empty: readonly [title: string, more?: string];
  readonly filters?: (reader: Administrator) => readonly ListFilter[];
  /** `chosen` maps the name of each filter to its value, and `after` to the cursor. */
  read(asked: AdminRequest, chosen: Readonly<Record<string, string | undefined>>): Promise<FoundLines>;
}

/**
 * A filter of a list. With `options`, the user chooses a value. Without `options`, the user enters a text
 * that rows must contain.
 */
export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly initial?: string;
}

interface FoundLines {
  readonly lines: readonly AdminLine[];
  readonly next?: string | undefined;
  /** The number of rows that match the filters, if the heading shows it. */
  readonly count?: number;
}

export interface AdminLine {
  readonly href?: string;
  readonly state?: ComponentChildren;
  readonly title: ComponentChildren;
  /** Content below the title. */
  readonly under?: ComponentChildren;
  readonly asides?: readonly ComponentChildren[];
  /** A time, such as the last use, and the buttons of the row. */
  readonly due?: ComponentChildren;
}

export interface AdminThing {
  /** Absent if the thing is shown only in the list. */
  readonly page?: ThingPage;
  /** Maps a name to its operation, or to false if the state of the thing does not allow the operation. */
  readonly operations?: Readonly<Record<string, AdminOperation | false>>;
}

export interface ThingPage {
  readonly title: string;
  readonly badge?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly live?: LivePage | undefined;
  readonly facts?: readonly FactRow[];
  readonly content?: ComponentChildren;
  readonly list?: AdminList | undefined;
}

export interface AdminOperation {
  readonly title: string;
  readonly look?: 'primary' | 'danger';
  /** What a dialog asks before the operation; undefined for an operation without a dialog. */
  readonly asks?: { readonly title: string; readonly text: ComponentChildren } | undefined;
  run(sent: SentOperation): Promise<Done> | Promise<void>;
}

export interface SentOperation {
  readonly form: URLSearchParams;
  /** The idempotency key of the form. */
  readonly key: string | undefined;
}

export interface Done {
  /**
   * The path segments of the thing to show next; [] for the list. If absent, the same page is shown again.
   */
  readonly key?: readonly string[];
  readonly secret?: Secret;
}

export interface Secret {
  readonly title: string;
  readonly value: string;
  readonly about: string;
}

/** An operation with a form. When the form opens, the first control gets the focus. */
export interface AdminCreation extends AdminOperation {
  readonly lead: string;
  readonly controls: readonly FormControl[];
}

export interface FormControl {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: true;
  readonly ask: AskedField;
}

export const originOf = ({ user }: Administrator): Origin => new Origin({ user: user.id });

export function administeredBy({ workflows, administers }: Administrator): Workflow[] {
  return workflows.filter(({ id }) => administers.workflowIds.includes(id));
}

/** The path of a page or of a thing, such as `/admin/rules/claims/high-risk`. */
export const adminPath = (path: string, ...key: readonly string[]): string =>
  ['/admin', path, ...key.map(encodeURIComponent)].join('/');
