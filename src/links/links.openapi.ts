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
          'Always an array, also where the relationship holds one task at most; whole, or in pages by `_limit`.',
        query: PageQuery,
        answers: { 200: json('The linked tasks.', listOf(ref('LinkedTask')), ['Link']) },
      },
      add: {
        id: 'linkTask',
        summary: 'Link two tasks',
        description:
          'Links the two from this side. Where one of them can hold one task only, the newest link stays. To link what is linked changes nothing.',
        query: WriteQuery,
        parameters: [ifMatch, unless],
        answers: { 204: empty('They are linked.', ['Event-Id']) },
        refusals: ['412'],
      },
      remove: {
        id: 'unlinkTask',
        summary: 'Unlink two tasks',
        description: 'Ends the link, seen from either side. 404 where there is none.',
        query: WriteQuery,
        parameters: [ifMatch, unless],
        answers: { 204: empty('They are no longer linked.', ['Event-Id']) },
        refusals: ['412'],
      },
    },
  );
