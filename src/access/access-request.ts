import { type Request } from 'express';
import { type Deadline } from '../deadline.js';
import { type Workflow } from '../workflows/workspace.js';
import { type Principal } from './principal.js';

/** A request as the guards leave it. */
export interface AccessRequest extends Request {
  principal?: Principal;
  workflow?: Workflow;
  deadline?: Deadline;
}
