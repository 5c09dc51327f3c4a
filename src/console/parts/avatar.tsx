import { type VNode } from 'preact';
import { type User } from '../../workflows/fields/field-type.js';
import { todayIn } from '../../common/calendar.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { writeDay } from './time.js';

/** The initials of a user on a coloured ground. If no name is beside them, pass the name as `label`. */
export function Avatar({ user, label }: { readonly user: User; readonly label?: string }): VNode {
  const named =
    label === undefined ? { 'aria-hidden': true } : ({ role: 'img', 'aria-label': label } as const);
  return (
    <span class={`avatar hue-${hueOf(user.email)}`} {...named}>
      {initialsOf(user)}
    </span>
  );
}

export function Person({ user }: { readonly user: User }): VNode {
  return (
    <span class={user.active ? 'person' : 'person gone'} title={user.email}>
      <Avatar user={user} />
      <span class="person-name">{nameOfPerson(user)}</span>
    </span>
  );
}

/** The text ` (away until May 4, 2026)`, with the first day back; empty if the user is not away today. */
export function absenceOf({ workspace, locale, now }: SignedIn, user: User | undefined): string {
  const today = todayIn(workspace.rows.workspace.timezone, now);
  const away = user?.away;
  if (away == null || today < away.from || today >= away.until) return '';
  return ` (away until ${writeDay(away.until, locale, 'medium')})`;
}

/** The initials of the first and the last word of the name. */
function initialsOf(user: User): string {
  const [first = '', ...others] = nameOfPerson(user).split(/[\s._-]+/u);
  const initials = [first, ...others.slice(-1)].map((word) => Array.from(word)[0] ?? '');
  return initials.join('').toUpperCase();
}

const HUES = 4;

/** Chooses one of the colours. A user has the same colour on all pages. */
function hueOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % HUES;
}
