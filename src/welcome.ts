/** What a person is told when the service is up; one line begins with `curl` and works as it stands. */
export function welcome(url: string, demoKey: string | undefined): string {
  const listening = `Workflow Task Service is listening on ${url.replace('[::1]', 'localhost')}\n`;
  if (demoKey === undefined) return listening;
  const base = `${url.replace('[::1]', 'localhost')}/api/v1`;
  return `${listening}
A demo workspace is ready. Its API key is ${demoKey} — try:

curl -H "Authorization: Bearer ${demoKey}" ${base}/workflows/vendors/tasks

`;
}
