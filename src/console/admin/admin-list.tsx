import { en } from './words.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type Reply } from '../../lib/reply.js';
import { type PageHead, pageReply } from '../page.js';
import { Choice } from '../parts/control.js';
import { Empty } from '../parts/empty.js';
import { Icon, type IconName } from '../parts/icon.js';
import { useReader } from '../reader.js';
import { AdminPage, type AdminPageProps } from './admin-page.js';

/** A list that somebody administers: how many there are, which are shown, each in a line, and what stands where there are none. */
export interface AdminList<Thing> extends Omit<AdminPageProps, 'children'> {
  readonly count?: number;
  readonly lead?: ComponentChildren;
  /** What leads to the form of a new one. */
  readonly button?: { readonly href: string; readonly name: string } | undefined;
  /** What chooses those that are shown. */
  readonly filters?: VNode;
  readonly things: readonly Thing[];
  readonly row: (thing: Thing) => AdminRow;
  readonly empty?: NothingThere | undefined;
  readonly more?: Omit<MoreProps, 'to'>;
}

/** A thing in a line, which leads to its page where it has one. */
export interface AdminRow {
  readonly href?: string;
  /** Whether it is the one whose page this is. */
  readonly isHere?: boolean;
  /** How it stands. */
  readonly state?: ComponentChildren;
  readonly title: ComponentChildren;
  /** What is said below the title, a line each. */
  readonly under?: ComponentChildren;
  readonly asides?: readonly ComponentChildren[];
  /** When, and what can be done at once. */
  readonly due?: ComponentChildren;
}

/** What would be there, and how it comes to be. */
type NothingThere = readonly [icon: IconName, title: string, more?: string | undefined];

/** Answers with a list. */
export function adminListReply<Thing>(list: AdminList<Thing>, head?: PageHead): Reply {
  const { count = 0, lead, button, filters, things, row, empty, more, ...page } = list;
  const { title } = page;
  return pageReply(
    <AdminPage {...page}>
      <ListHead title={title} count={count} lead={lead} button={button} />
      {filters}
      <AdminRows things={things} row={row} empty={empty} />
      {more && <MorePages {...more} />}
    </AdminPage>,
    head,
  );
}

/** What a page of several things is called, how many there are, and what leads to a new one. */
export function ListHead({ title, count, lead, button }: ListHeadProps): VNode {
  const reader = useReader();
  return (
    <header class={button ? 'page-head spread' : 'page-head stack gap-1'}>
      <h1>
        {title} {count > 0 && <span class="count">{count.toLocaleString(reader.locale)}</span>}
      </h1>
      {lead !== undefined && <p class="muted">{lead}</p>}
      {button && (
        <a class="button primary" href={button.href}>
          <Icon name="plus" /> {button.name}
        </a>
      )}
    </header>
  );
}

interface ListHeadProps extends Pick<AdminList<unknown>, 'title' | 'lead' | 'button'> {
  readonly count: number;
}

/** Things in a line each. */
export function AdminRows<Thing>({ things, row, empty }: AdminRowsProps<Thing>): VNode {
  if (things.length === 0 && empty) return <Nothing there={empty} />;
  return (
    <ul class="rows admin-rows">
      {things.map((thing) => (
        <li>
          <Line row={row(thing)} />
        </li>
      ))}
    </ul>
  );
}

type AdminRowsProps<Thing> = Pick<AdminList<Thing>, 'things' | 'row' | 'empty'>;

export function Nothing({ there: [icon, title, more] }: { readonly there: NothingThere }): VNode {
  return (
    <Empty icon={icon} title={title}>
      {more}
    </Empty>
  );
}

function Line({ row: { href, isHere, state, title, under, asides = [], due } }: LineProps): VNode {
  const content = (
    <>
      {state !== undefined && <span class="row-state">{state}</span>}
      <span class="row-what">
        <span class="row-title">{title}</span>
        {under}
      </span>
      {asides.map((aside) => (
        <span class="row-aside">{aside}</span>
      ))}
      <span class="row-due">{due}</span>
    </>
  );
  if (href === undefined) return <div class="row">{content}</div>;
  return (
    <a class="row" href={href} aria-current={isHere ? 'page' : undefined}>
      {content}
    </a>
  );
}

interface LineProps {
  readonly row: AdminRow;
}

/** One of a few kinds of things, each a link to those of it. */
export function ListKinds({ label, kinds }: ListKindsProps): VNode {
  return (
    <nav class="kinds line gap-1" aria-label={label}>
      {kinds.map(([href, name, isChosen]) => (
        <a href={href} aria-current={isChosen ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

interface ListKindsProps {
  readonly label: string;
  readonly kinds: readonly (readonly [href: string, name: string | undefined, isChosen: boolean])[];
}

/** A form that asks by GET, so that what it finds has an address. */
export function ListFilter({ path, button, isFiltered = false, children }: ListFilterProps): VNode {
  const { admin, board } = en;
  return (
    <search class="filters">
      <form class="form-line" action={path}>
        {children}
        <button type="submit">{button ?? admin.filter}</button>
        {isFiltered && <a href={path}>{board.clear}</a>}
      </form>
    </search>
  );
}

interface ListFilterProps {
  readonly path: string;
  readonly button?: string;
  readonly isFiltered?: boolean;
  readonly children: ComponentChildren;
}

/** One of some, or any. */
export function FilterChoice({ label, name, options, chosen }: FilterChoiceProps): VNode {
  return (
    <label>
      <span>{label}</span>
      <Choice name={name} options={options} chosen={chosen ?? ''} none={en.board.any} />
    </label>
  );
}

interface FilterChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string | undefined;
}

/** Where a list goes on: with these parameters behind what it shows, or from its beginning. */
export function MorePages({ path, query = {}, next, isFirst }: MoreProps): VNode | null {
  const { admin, list } = en;
  if (next === undefined && isFirst) return null;
  return (
    <nav class="actions" aria-label={list.pages}>
      {!isFirst && <a href={addressOf(path, query)}>{admin.newest}</a>}
      {next !== undefined && <a href={addressOf(path, { ...query, after: next })}>{list.next}</a>}
    </nav>
  );
}

interface MoreProps {
  readonly path: string;
  /** What is empty is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Behind what the next page begins. */
  readonly next: string | undefined;
  readonly isFirst: boolean;
}

/** A path with the parameters that are given. */
export function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
