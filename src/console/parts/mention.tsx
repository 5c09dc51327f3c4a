import { type MarkdownIt } from 'markdown-it';
import { agree } from '../../common/wording.js';
import { type VNode } from 'preact';
import { type Mentions, mention } from '../../comments/mentions.js';
import { type User } from '../../workflows/fields/field-type.js';
import { type SignedIn, nameOfPerson } from '../reader.js';
import { Avatar } from './avatar.js';

/** Maps a mentioned user's e-mail address, in lower case, to the user's name. */
export type MentionNames = ReadonlyMap<string, string>;

export function namesOfMentions({ workspace }: SignedIn, mentions: Mentions): MentionNames {
  const names = Object.entries(mentions).flatMap(([address, id]) => {
    const user = workspace.users.get(id);
    return user ? [[address, nameOfPerson(user)] as const] : [];
  });
  return new Map(names);
}

const here = new RegExp(mention.source, 'yu');

/** Makes a Markdown parser show mentions by name. `env.names` contains the known names. */
export function readMentions(parser: MarkdownIt): void {
  parser.inline.ruler.after('text', 'mention', (state, isSilent) => {
    here.lastIndex = state.pos;
    const { names } = state.env as { readonly names?: MentionNames };
    const [text = '', address = ''] = names && names.size > 0 ? (here.exec(state.src) ?? []) : [];
    const name = names?.get(address.toLowerCase());
    if (name === undefined) return false;
    if (!isSilent) state.push('mention', '', 0).content = name;
    state.pos += text.length;
    return true;
  });
  parser.renderer.rules['mention'] = (tokens, at) =>
    `<strong class="mention">@${parser.utils.escapeHtml(tokens[at]?.content ?? '')}</strong>`;
}

export const audienceFrame = 'audience';

/** A list of users to mention. The button of a user completes the mention with the user's e-mail address. */
export function Audience({ people }: { readonly people: readonly User[] }): VNode {
  return (
    <turbo-frame id={audienceFrame} class="found">
      <p class="visually-hidden" data-found>
        {people.length === 0
          ? 'Nobody with this name can see this task'
          : `${people.length} ${agree(people.length, 'person', 'people')}, Enter chooses the first`}
      </p>
      {people.length > 0 && (
        <ul class="rows">
          {people.map((user) => (
            <li>
              <button type="button" class="quiet row" value={user.email}>
                <Avatar user={user} />
                <span class="row-title">{nameOfPerson(user)}</span>
                <span class="muted small">{user.email}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </turbo-frame>
  );
}
