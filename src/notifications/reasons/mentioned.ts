import { type ReasonType } from '../reason.js';

/** Their address stands behind an @ in a comment. */
export const whenMentioned: ReasonType = {
  types: ['comment.created'],
  whom: ({ event }) => Object.values(mentionsOf(event.about)),
};

/** The ids of users by their addresses, as the comment was stored with them. */
function mentionsOf(about: Readonly<Record<string, unknown>> | null): Readonly<Record<string, string>> {
  const mentions = about?.['mentions'];
  // Only the trigger of comments writes it, from a column of this type.
  return typeof mentions === 'object' && mentions !== null ? (mentions as Record<string, string>) : {};
}
