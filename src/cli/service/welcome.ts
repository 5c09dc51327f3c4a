import { type AddressInfo } from 'node:net';
import { LINK_MINUTES } from '../../access/sessions.js';
import { listensEverywhere, urlOf } from '../../common/ops/listen.js';

/** Returns the text that the service prints when it is ready: with a key, also a `curl` command. */
export function welcome(address: AddressInfo, { key, signInLink, outbox, isEmpty }: Welcomed): string {
  const url = urlOf(address);
  const others = listensEverywhere(address.address) ? ', and on every other address of this machine' : '';
  const listening = `Workflow Task Service is listening on ${url}${others}\n`;
  if (key === undefined) return isEmpty ? `${listening}${noWorkspaceYet}\n` : listening;
  return `${listening}
A demo workspace is ready. Its API key is ${key} — try:

curl -H "Authorization: Bearer ${key}" ${url}/api/v1/workflows/vendors/tasks
${signInLink === undefined ? '' : `\nOpen its pages by this link, which works once within ${LINK_MINUTES} minutes:\n\n${signInLink}\n`}${
    outbox === undefined
      ? ''
      : `\nMail that its actions send stays on this machine, as .eml files in ${outbox}\n`
  }
`;
}

export interface Welcomed {
  readonly key: string | undefined;
  /** A sign-in link. It begins like the URLs of tasks, so that the session is valid for those URLs. */
  readonly signInLink: string | undefined;
  readonly outbox?: string | undefined;
  readonly isEmpty: boolean;
}

export const noWorkspaceYet =
  'There is no workspace yet: "npm run -s wts -- workspace create acme --definition docs/examples/onboarding.yaml" creates one and prints its first key.';
