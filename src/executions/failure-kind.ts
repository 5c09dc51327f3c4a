/** The kind of a failure, which decides what people are told to do about it. */
export type FailureKind =
  'cancelled' | 'task-deleted' | 'access-denied' | 'refused' | 'unavailable' | 'settings' | 'late' | 'task';

/** The kind of a failure, judging by its error message. */
export function failureKindOf(error: string): FailureKind {
  return kinds.find(([words]) => words.test(error))?.[1] ?? 'task';
}

// Matched after the name of the step. Any other failure comes from the task.
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/^was cancelled$/, 'cancelled'],
  [/^task was deleted$/, 'task-deleted'],
  [/^(was given up after several attempts|took too long|was not begun in time)$/, 'late'],
  [/: was answered with status 40[13]$/, 'access-denied'],
  [/: was answered with status (408|429|5\d\d)$/, 'unavailable'],
  [/: was answered with status \d+$/, 'refused'],
  [/: (it took too long|it was interrupted|the server could not be reached|the server gave no valid answer|the answer broke off)$/, 'unavailable'], // prettier-ignore
  [/: the secret .+ (is not set: \S+|cannot be told from others)$/, 'settings'],
  [/: (its URL is not allowed|its address is not allowed.*|it leads from https to http|too many redirects|the request is not valid|the header .+ cannot be sent)$/, 'settings'], // prettier-ignore
];
