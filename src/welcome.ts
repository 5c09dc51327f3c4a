import { type AddressInfo } from 'node:net';
import { listensEverywhere, urlOf } from './ops/listen.js';

/** What a person is told when the service is up; one line begins with `curl` and works as it stands. */
export function welcome(address: AddressInfo, demoKey: string | undefined, isEmpty: boolean): string {
  const url = urlOf(address);
  const others = listensEverywhere(address.address) ? ', and on every other address of this machine' : '';
  const listening = `Workflow Task Service is listening on ${url}${others}\n`;
  if (demoKey === undefined) return isEmpty ? `${listening}${noWorkspace}\n` : listening;
  return `${listening}
A demo workspace is ready. Its API key is ${demoKey} — try:

curl -H "Authorization: Bearer ${demoKey}" ${url}/api/v1/workflows/vendors/tasks

`;
}

/** What comes next where there is no workspace. */
export const noWorkspace =
  'There is no workspace yet: "npm run -s wts -- workspace create acme --definition docs/examples/onboarding.yaml" makes one, and prints its first key.';
