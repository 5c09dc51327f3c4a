import { type LivePage } from '../layout.js';
import { type Type } from '@nestjs/common';
import { type ComponentChildren } from 'preact';
import { Origin } from '../../common/origin.js';
import { type Reply } from '../../common/reply.js';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Administration } from '../../workflows/model/roles.js';
import { type AskedOfPages } from '../console-controller.js';
import { type IconName } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';

export interface Administrator extends SignedIn {
  readonly administers: Administration;
}

export interface AdminRequest extends AskedOfPages {
  readonly reader: Administrator;
  readonly get: <Service>(service: Type<Service>) => Service;
  /** The path of the list, or of the thing. */
  readonly path: string;
  readonly tabs: readonly Tab[];
}

export interface Tab {
  readonly title: string;
  readonly pages: readonly (readonly [href: string, title: string])[];
}

/** A kind of things that people administer: its list, the page of one thing, and its operations. */
export interface AdminPage<Thing, Row = Thing> extends AdminList<Row> {
  /** The path below `/admin/`. */
  readonly path: string;
  /** The name of one thing in the log. */
  readonly one: string;
  /** Whether it is reserved to administrators of all workflows. */
  readonly isOfWorkspace?: true;
  /** The number of path segments that name a thing; 1 by default. */
  readonly keyLength?: number;
  find?(key: readonly string[], asked: AdminRequest): Promise<Thing | undefined>;
  show?(thing: Thing, asked: AdminRequest): ShownThing | Promise<ShownThing>;
  answer?(key: string, asked: AdminRequest): Promise<Reply | undefined>;
  readonly create?: AdminOperation<undefined>;
  readonly operations?: Readonly<Record<string, AdminOperation<Thing>>>;
}

export interface AdminList<Row> {
  readonly title: string;
  readonly icon: IconName;
  readonly lead?: string;
  /** What an empty list shows instead. */
  readonly empty: readonly [title: string, more?: string];
  filters?(asked: AdminRequest): readonly ListFilter[];
  /** `chosen` has the value of each filter; `after` is the cursor of the page. */
  rows(asked: AdminRequest, chosen: Readonly<Record<string, string | undefined>>): Promise<FoundRows<Row>>;
  line(row: Row, asked: AdminRequest): AdminLine;
  above?(asked: AdminRequest): Promise<ComponentChildren>;
  readonly live?: LivePage;
}

/** A filter of a list: one of several values, or a text that rows must contain. */
export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly initial?: string;
}

export interface FoundRows<Row> {
  readonly shown: readonly Row[];
  readonly next?: string | undefined;
  readonly count?: number;
}

export interface AdminLine {
  readonly href?: string;
  /** Whether its page is the one that is open. */
  readonly isHere?: boolean;
  readonly state?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly under?: ComponentChildren;
  readonly asides?: readonly ComponentChildren[];
  /** The time, and the operations that the row offers. */
  readonly due?: ComponentChildren;
}

export interface ShownThing {
  readonly title: string;
  /** The heading of the page; default: the title. */
  readonly heading?: ComponentChildren;
  readonly badge?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly why?: ComponentChildren;
  /** Facts without a value are left out. */
  readonly facts?: readonly FactRow[];
  readonly parts?: ComponentChildren;
  readonly live?: LivePage | undefined;
}

export type FactRow = readonly [name: string, value: ComponentChildren];

export interface AdminOperation<Of> {
  readonly title: string;
  readonly look?: 'primary' | 'danger';
  /** Whether its button is not on the page of the thing, but elsewhere, such as in rows. */
  readonly isElsewhere?: true;
  /** Whether its answer shows a secret, which is shown only once. */
  readonly isShownOnce?: true;
  isAllowed?(of: Of): boolean;
  /** What the button asks first, if it asks. */
  asks?(of: Of): { readonly title: string; readonly text: ComponentChildren } | undefined;
  form?(of: Of, asked: AdminRequest): AdminForm;
  run(of: Of, sent: SentOperation): Promise<Done> | Promise<void>;
  /** The notice after the operation. */
  done?(count: number): string;
}

export interface SentOperation extends AdminRequest {
  readonly form: URLSearchParams;
  /** The key that makes repeated sendings of the form one operation. */
  readonly key: string | undefined;
}

export interface Done {
  /** The key of the page to show next, if it is not the same page; [] for the list. */
  readonly key?: readonly string[];
  readonly count?: number;
  readonly secret?: Secret;
}

export interface Secret {
  readonly title: string;
  readonly value: string;
  readonly about: string;
}

export interface AdminForm {
  readonly title: string;
  readonly lead?: string;
  readonly button: string;
  /** The first control gets the focus. */
  readonly controls: readonly FormControl[];
  readonly values: URLSearchParams;
}

export interface FormControl {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: true;
  readonly ask: AskedField;
}

export const originOf = ({ user }: Administrator): Origin => new Origin({ user: user.id });

/** The query of a list of the API: a state if one is chosen, and a cursor. */
export function pageOf<State extends string>(states: readonly State[], chosen?: string, after?: string) {
  const state = states.find((one) => one === chosen);
  return { _limit: '50', ...(state && { state }), ...(after !== undefined && { _after: after }) };
}

/** The path of a page or of a thing: `/admin/rules/claims/high-risk`. */
export const adminPath = (path: string, ...key: readonly string[]): string =>
  ['/admin', path, ...key.map(encodeURIComponent)].join('/');
