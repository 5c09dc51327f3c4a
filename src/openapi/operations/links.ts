import { LinksController } from '../../links/links.controller.js';
import { empty, json } from '../answers.js';
import { describe } from '../describe.js';
import { type Group } from '../operation.js';
import { parameters } from '../parameters.js';
import { listOf, ref } from '../schema.js';

const { limit, after, ifMatch, unless } = parameters;

export const describeLinks = (): Group =>
  describe(
    LinksController,
    { name: 'Links', description: 'The links of a task, one at a time.' },
    {
      list: {
        id: 'listLinkedTasks',
        summary: 'List the tasks at the other end of a relationship',
        parameters: [limit, after],
        answers: { 200: json('The linked tasks.', listOf(ref('LinkedTask')), ['Link']) },
      },
      add: {
        id: 'linkTask',
        summary: 'Link two tasks',
        parameters: [ifMatch, unless],
        answers: { 204: empty('They are linked.') },
        refusals: ['412'],
      },
      remove: {
        id: 'unlinkTask',
        summary: 'Unlink two tasks',
        parameters: [ifMatch, unless],
        answers: { 204: empty('They are no longer linked.') },
        refusals: ['412'],
      },
    },
  );
