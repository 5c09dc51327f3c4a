import { CommentsController } from './comments.controller.js';
import { json, parameters, listOf, ref } from '../openapi/vocabulary.js';
import { PageQuery } from '../http/paged-list.js';
import { WriteQuery } from '../http/silence.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { Comment, CommentPayload } from './comment.dto.js';

export const describeComments = (): OperationGroup =>
  describe(
    CommentsController,
    {
      name: 'Comments',
      description: 'The comments on a task.',
      models: [Comment, CommentPayload],
    },
    {
      list: {
        id: 'listComments',
        summary: 'List the comments, oldest first',
        description: 'All comments, or with `_limit` a page; `Link` leads to the next page.',
        query: PageQuery,
        answers: { 200: json('The comments.', listOf(ref('Comment')), ['Link']) },
      },
      add: {
        id: 'addComment',
        summary: 'Comment on a task',
        description: 'The author is the user named in `performed_by`, otherwise `API`.',
        query: WriteQuery,
        parameters: [parameters.idempotencyKey],
        body: { type: 'application/json', schema: ref('NewComment') },
        answers: { 201: json('The comment.', 'Comment', ['Location', 'Event-Id']) },
        refusals: ['409', '413', '415'],
      },
    },
  );
