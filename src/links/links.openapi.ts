import { LinksController } from './links.controller.js';
import { PageQuery } from '../http/paged-list.js';
import { empty, json, parameters, listOf, ref } from '../openapi/vocabulary.js';
import { WriteQuery } from '../http/silence.js';
import { describe, type OperationGroup } from '../openapi/operation.js';

const { ifMatch, unless } = parameters;

export const describeLinks = (): OperationGroup =>
  describe(
    LinksController,
    { name: 'Links', description: 'The links of a task, one at a time.' },
    {
      list: {
        id: 'listLinkedTasks',
        summary: 'List the tasks at the other end of a relationship',
        description:
          'Always an array, even if the relationship holds at most one task; complete, or with `_limit` in pages.',
        query: PageQuery,
        answers: { 200: json('The linked tasks.', listOf(ref('LinkedTask')), ['Link']) },
      },
      add: {
        id: 'linkTask',
        summary: 'Link two tasks',
        description:
          'Links the two tasks. If one of them can hold only one link, the new link replaces the old one. Linking linked tasks changes nothing.',
        query: WriteQuery,
        parameters: [ifMatch, unless],
        answers: { 204: empty('The tasks are linked.', ['Event-Id']) },
        refusals: ['412'],
      },
      remove: {
        id: 'unlinkTask',
        summary: 'Unlink two tasks',
        description: 'Removes the link from both tasks. If there is none, the answer is 404.',
        query: WriteQuery,
        parameters: [ifMatch, unless],
        answers: { 204: empty('The tasks are no longer linked.', ['Event-Id']) },
        refusals: ['412'],
      },
    },
  );
