import { type ReasonType } from '../reason.js';

/** A comment has the user's address after an @. */
export const whenMentioned: ReasonType = {
  types: ['comment.created'],
  whom: ({ event }) => Object.values(mentionsOf(event.about)),
};

/** The ids of mentioned users by address, as stored with the comment. */
function mentionsOf(about: Readonly<Record<string, unknown>> | null): Readonly<Record<string, string>> {
  const mentions = about?.['mentions'];
  // Only the trigger of the comments table writes this value, so it has this type.
  return typeof mentions === 'object' && mentions !== null ? (mentions as Record<string, string>) : {};
}
