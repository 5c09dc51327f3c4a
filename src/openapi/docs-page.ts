/** The page that shows the description; what it needs stands beside it, so that it works behind any prefix. */
export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workflow Task Service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <style>form{display:flex;flex-wrap:wrap;gap:1rem;padding:1rem;font-family:sans-serif}</style>
  </head>
  <body>
    <form id="choice">
      <label>API key <input name="key" type="password" autocomplete="off" size="48"></label>
      <label>Interface of <select name="document"></select></label>
      <output name="note">With a key, those of its workflows can be chosen.</output>
    </form>
    <div id="docs"></div>
    <noscript>The description itself: <a href="docs/openapi.json">openapi.json</a></noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Shows the description. Which workflows there are, and their descriptions, takes a key: so Swagger UI's own choice
 * (`urls`), which has to be known beforehand, does not do. The key stays in the page and goes nowhere but to the service.
 */
export const startScript = `const { key, document: chosen, note } = document.getElementById('choice').elements;
const general = 'docs/openapi.json';
const headers = () => (key.value ? { Authorization: 'Bearer ' + key.value.trim() } : {});

const withKey = (request) => {
  const isOurs = new URL(request.url, location.href).origin === location.origin;
  if (isOurs) request.headers = { ...headers(), ...request.headers };
  return request;
};

const ui = SwaggerUIBundle({ url: general, dom_id: '#docs', deepLinking: true, docExpansion: 'none', validatorUrl: null, requestInterceptor: withKey });

const show = () => {
  ui.specActions.updateUrl(chosen.value);
  ui.specActions.download(chosen.value);
};

const offer = (workflows) => {
  const options = workflows.map(({ id, name }) => new Option(name, 'api/v1/workflows/' + id + '/openapi.json'));
  chosen.replaceChildren(new Option('any workflow', general), ...options);
};

const choose = async () => {
  const answer = await fetch('api/v1/workflows', { headers: headers() });
  offer(answer.ok ? await answer.json() : []);
  note.value = answer.ok ? '' : 'This key opens nothing: ' + answer.status;
  if (answer.ok) ui.preauthorizeApiKey('key', key.value.trim());
  show();
};

offer([]);
key.addEventListener('change', choose);
chosen.addEventListener('change', show);
document.getElementById('choice').addEventListener('submit', (event) => event.preventDefault());
`;
