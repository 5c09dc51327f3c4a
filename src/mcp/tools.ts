import { type Tool as ListedTool } from '@modelcontextprotocol/server';
import { type McpUse } from '../config.js';
import { type Argument } from './arguments.js';
import { type Tool } from './tool.js';
import { commentOnTask } from './tools/comment.js';
import { describeWorkflow } from './tools/describe-workflow.js';
import { explainActions } from './tools/explain-actions.js';
import { findTasksTool } from './tools/find-tasks.js';
import { getTask } from './tools/get-task.js';
import { performAction } from './tools/perform-action.js';
import { saveTask } from './tools/save-task.js';

const all: readonly Tool[] = [
  describeWorkflow,
  findTasksTool,
  getTask,
  saveTask,
  commentOnTask,
  explainActions,
  performAction,
];

export const toolsFor = (use: McpUse): readonly Tool[] =>
  all.filter(({ hints }) => use === 'on' || (use === 'read' && !hints.writes));

/** Whether a tool of this name exists, even if the configuration disables it. */
export const isTool = (name: string): boolean => all.some((tool) => tool.name === name);

/** Lists the tools for clients; every client gets the same list. */
export function listTools(tools: readonly Tool[]): ListedTool[] {
  return tools.map(({ name, description, arguments: all, required, hints }) => ({
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(all).map(([key, each]) => [key, schemaOf(each)])),
      required: [...required],
    },
    annotations: {
      readOnlyHint: !hints.writes,
      destructiveHint: hints.overwrites === true,
      // A repeated call without an idempotency key may create another task, comment or execution.
      idempotentHint: !hints.writes,
      // A change may trigger rules and reach other systems.
      openWorldHint: hints.writes,
    },
  }));
}

function schemaOf({ type, says }: Argument): Record<string, string | { type: string }> {
  return {
    type,
    ...(type === 'array' && { items: { type: 'string' } }),
    ...(says !== undefined && { description: says }),
  };
}
