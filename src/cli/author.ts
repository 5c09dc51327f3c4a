import { userInfo } from 'node:os';
import { readConfig } from '../config.js';

/** Who works at the command line: `WTS_AUTHOR`, or else the user of the operating system. */
export function author(): string {
  return readConfig().author ?? systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may be no more than a number.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
