import { type DataSource } from 'typeorm';
import { FairSemaphore } from '../lib/semaphore.js';

/** The connections that requests may use at once; a tenth of the pool is left to what all of them need, such as keys. */
export function connectionsOf(dataSource: DataSource): FairSemaphore {
  const known = connections.get(dataSource) ?? begin(dataSource.options.poolSize ?? 10);
  connections.set(dataSource, known);
  return known;
}

const connections = new WeakMap<DataSource, FairSemaphore>();

function begin(poolSize: number): FairSemaphore {
  const shares = { ofKey: poolSize * 0.7, ofWorkspace: poolSize * 0.8 };
  return new FairSemaphore(poolSize - Math.floor(poolSize / 10), 'Too many requests are waiting.', shares);
}
