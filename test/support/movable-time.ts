import { type DataSource } from 'typeorm';
import { timeFunctions } from './time-functions.mjs';

/** The time of the service and of its database, which a test can move. */
export interface MovableTime {
  /** Moves the time to this instant, or so many milliseconds ahead. It goes on from there. */
  move(to: Date | number): Promise<void>;
  /** Gives this process its own time back. */
  restore(): void;
}

const realNow = Date.now.bind(Date);

/** Moves `Date.now` of this process and the time functions of this database. */
export function movableTime(dataSource: DataSource): MovableTime {
  let aheadMs = 0;
  return {
    async move(to) {
      aheadMs = typeof to === 'number' ? aheadMs + to : to.getTime() - realNow();
      Date.now = () => realNow() + aheadMs;
      await dataSource.query(timeFunctions(aheadMs));
    },
    restore() {
      Date.now = realNow;
    },
  };
}
