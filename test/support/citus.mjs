import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * Makes a distributed template database on a running Citus: on each of its nodes, by the addresses that the
 * coordinator knows. The user in the address must be allowed to create databases.
 */
export async function prepareCitus(coordinator, { migrate, distribute }) {
  const nodes = (await ask(coordinator, readNodes)).map(({ host, port }) =>
    at(coordinator, { hostname: host, port }),
  );
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = at(coordinator, { pathname: `/${name}` });
  for (const node of [coordinator, ...nodes]) {
    await ask(node, `CREATE DATABASE ${name}`);
    await ask(at(node, { pathname: `/${name}` }), 'CREATE EXTENSION citus');
  }
  const { hostname, port } = new URL(coordinator);
  await ask(url, `SELECT citus_set_coordinator_host('${hostname}', ${port})`);
  for (const node of nodes)
    await ask(url, `SELECT citus_add_node('${new URL(node).hostname}', ${new URL(node).port})`);
  await migrate(url);
  await distribute(url);
  // Citus keeps a process in each database, and a database with connections cannot be copied.
  for (const node of [coordinator, ...nodes]) {
    await ask(node, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await ask(node, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  }
  const release = async () => {
    for (const node of [coordinator, ...nodes]) await ask(node, `DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { url, nodes, release };
}

const readNodes =
  'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE isactive AND groupid <> 0';

const at = (url, place) => Object.assign(new URL(url), place).href;

async function ask(url, statement) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
