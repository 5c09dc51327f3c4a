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

/** Somebody who administers something. */
export interface Administrator extends SignedIn {
  readonly administers: Administration;
}

/** What an administrator asks for. */
export interface AdminRequest extends AskedOfPages {
  readonly reader: Administrator;
  /** A service. */
  readonly get: <Service>(service: Type<Service>) => Service;
  /** Of the list, or of the thing. */
  readonly path: string;
  /** The pages that they may see, by tab. */
  readonly tabs: readonly Tab[];
}

export interface Tab {
  readonly title: string;
  readonly pages: readonly (readonly [href: string, title: string])[];
}

/** A kind of things that people administer: what its list says of each, what the page of one says, and what can be done. */
export interface AdminPage<Thing, Row = Thing> extends AdminList<Row> {
  /** Below `/admin/`. */
  readonly path: string;
  /** What one is called in the log. */
  readonly one: string;
  /** Whether it is only for those who administer all workflows. */
  readonly isOfWorkspace?: true;
  /** How many parts of a path name a thing; 1 by default. */
  readonly keyLength?: number;
  find?(key: readonly string[], asked: AdminRequest): Promise<Thing | undefined>;
  /** Absent where the list says all. */
  show?(thing: Thing, asked: AdminRequest): ShownThing | Promise<ShownThing>;
  /** Answers what the path names besides things. */
  answer?(key: string, asked: AdminRequest): Promise<Reply | undefined>;
  /** Makes a new one. */
  readonly create?: AdminOperation<undefined>;
  /** By their names in addresses. */
  readonly operations?: Readonly<Record<string, AdminOperation<Thing>>>;
}

/** A list: each thing in a line. */
export interface AdminList<Row> {
  readonly title: string;
  readonly icon: IconName;
  readonly lead?: string;
  /** Shown in place of an empty list. */
  readonly empty: readonly [title: string, more?: string];
  filters?(asked: AdminRequest): readonly ListFilter[];
  /** `chosen` has the value of each filter, and `after`, behind which the page begins. */
  rows(asked: AdminRequest, chosen: Readonly<Record<string, string | undefined>>): Promise<FoundRows<Row>>;
  line(row: Row, asked: AdminRequest): AdminLine;
  /** Shown above the list. */
  above?(asked: AdminRequest): Promise<ComponentChildren>;
  /** What it shows that changes. */
  readonly live?: LivePage;
}

/** What a list is filtered by: one of some values, or a text that the rows hold. */
export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** The value if the address names none. */
  readonly initial?: string;
}

export interface FoundRows<Row> {
  readonly shown: readonly Row[];
  /** Behind which the next page begins. */
  readonly next?: string | undefined;
  /** How many there are on all pages. */
  readonly count?: number;
}

/** A thing in a line, which leads to its page where it has one. */
export interface AdminLine {
  readonly href?: string;
  /** Whether it is the one whose page this is. */
  readonly isHere?: boolean;
  readonly state?: ComponentChildren;
  readonly title: ComponentChildren;
  /** Lines below the title. */
  readonly under?: ComponentChildren;
  readonly asides?: readonly ComponentChildren[];
  /** When, and what can be done at once. */
  readonly due?: ComponentChildren;
}

/** What the page of one thing says. */
export interface ShownThing {
  readonly title: string;
  /** The heading of the page; default: the title. */
  readonly heading?: ComponentChildren;
  readonly badge?: ComponentChildren;
  readonly lead?: ComponentChildren;
  /** Why somebody has to act. */
  readonly why?: ComponentChildren;
  /** The page leaves out facts without a value. */
  readonly facts?: readonly FactRow[];
  /** Parts of their own, below the facts. */
  readonly parts?: ComponentChildren;
  readonly live?: LivePage | undefined;
}

export type FactRow = readonly [name: string, value: ComponentChildren];

/** Something that can be done with a thing. */
export interface AdminOperation<Of> {
  /** On its button. */
  readonly title: string;
  readonly look?: 'primary' | 'danger';
  /** Whether its button stands elsewhere, such as in lines. */
  readonly isElsewhere?: true;
  /** Whether its answer shows a secret, this once. */
  readonly isShownOnce?: true;
  isAllowed?(of: Of): boolean;
  /** The question that the button asks first, if any. */
  asks?(of: Of): { readonly title: string; readonly text: ComponentChildren } | undefined;
  /** What it asks for, on a page of its own. */
  form?(of: Of, asked: AdminRequest): AdminForm;
  run(of: Of, sent: SentOperation): Promise<Done> | Promise<void>;
  /** The notice after the operation. */
  done?(count: number): string;
}

/** The form of an operation as it was sent. */
export interface SentOperation extends AdminRequest {
  readonly form: URLSearchParams;
  /** Under which it is carried out once, however often it is sent. */
  readonly key: string | undefined;
}

/** The result of an operation. */
export interface Done {
  /** The key of the page that follows, if it is another; [] for the list. */
  readonly key?: readonly string[];
  readonly count?: number;
  readonly secret?: Secret;
}

/** What is shown this once. */
export interface Secret {
  readonly title: string;
  readonly value: string;
  readonly about: string;
}

/** A form: what it asks for, and what stands in it before anybody fills it in. */
export interface AdminForm {
  readonly title: string;
  readonly lead?: string;
  readonly button: string;
  /** People begin at the first. */
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

/** What events of the changes that an administrator makes say of them. */
export const originOf = ({ user }: Administrator): Origin => new Origin({ user: user.id });

/** What a page of a list of the API is asked for: one of its states, if any, behind a cursor. */
export function pageOf<State extends string>(states: readonly State[], chosen?: string, after?: string) {
  const state = states.find((one) => one === chosen);
  return { _limit: '50', ...(state && { state }), ...(after !== undefined && { _after: after }) };
}

/** The address of a page, or of a thing: `/admin/rules/claims/high-risk`. */
export const adminPath = (path: string, ...key: readonly string[]): string =>
  ['/admin', path, ...key.map(encodeURIComponent)].join('/');
