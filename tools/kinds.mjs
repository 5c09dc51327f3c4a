// Prints what derives from a kind of list, as in `npm run kinds schedule`. Without a name, prints all kinds.
import { kinds } from '../dist/src/workflows/definition/kinds.js';
import { isRenamed } from '../dist/src/workflows/definition/merge/renames.js';
import { marksIn } from '../dist/src/workflows/model/marks.js';
import { isShown } from '../dist/src/workflows/model/shown-kind.js';

const [name] = process.argv.slice(2);
const kind = kinds.find((one) => one.name === name);
if (kind) print(kind);
else for (const { name, list, of } of kinds) console.log(`${name}: ${list} of a ${of}`);

function print(kind) {
  const { list, of, key, schema, rows } = kind;
  console.log(
    `${list}: of a ${of}; maximum: ${schema.maxItems ?? 'none'}; identified by ${key.join(' and ')}`,
  );
  console.log(`stored in ${rows ? `rows of ${rows.entity.name}` : `the settings of the ${of}`}`);
  if (isRenamed(kind)) console.log('renamed by was:');
  for (const [path, mark] of marksIn(schema.items)) console.log(`${path}: ${mark}`);
  for (const phase of ['check', 'checkSound', 'effects', 'settle'])
    if (kind[phase]) console.log(`has ${phase}`);
  if (!isShown(kind)) return;
  const path = `/api/v1/workflows/{workflow_id}/${list}`;
  console.log(`GET ${path}\nGET ${path}/{id}${kind.runs ? `\nGET ${path}/{id}/runs` : ''}`);
  for (const verb of Object.keys(kind.operations))
    console.log(`POST ${path}/{id}/${verb}, wts ${kind.name} ${verb}`);
}
