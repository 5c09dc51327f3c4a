import { Command, CommanderError } from 'commander';
import { definitionCommands } from './definition.commands.js';
import { distributeCommand, migrateCommand } from './database.commands.js';
import { followCommand } from './follow.command.js';
import { keyCommands } from './key.commands.js';
import { mailCommands } from './mail.commands.js';
import { kindCommands } from './kind.commands.js';
import { shownKinds } from '../workflows/definition/kinds.js';
import { reasonOf } from '../common/errors.js';
import { allowClosedOutput, isClosedOutput } from '../common/program.js';
import { serviceVersion } from '../common/version.js';
import { tell } from './terminal.js';
import { throwAwayCommand } from './throw-away.command.js';
import { userCommands } from './user.commands.js';
import { taskCommands } from './task.commands.js';
import { workspaceCommands } from './workspace.commands.js';

async function main(): Promise<void> {
  allowClosedOutput();
  const program = new Command('wts')
    .version(serviceVersion, '--version', 'show the version')
    .description('Defines the workflows of a Workflow Task Service and manages its keys.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  for (const command of [
    ...definitionCommands(),
    ...taskCommands(),
    ...kindCommands(shownKinds),
    migrateCommand(),
    distributeCommand(),
    followCommand(),
    keyCommands(),
    userCommands(),
    mailCommands(),
    workspaceCommands(),
    throwAwayCommand(),
  ]) {
    program.addCommand(command.exitOverride());
  }
  await program.parseAsync();
}

main().catch((error: unknown) => {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else if (!isClosedOutput(error)) {
    tell(reasonOf(error));
    process.exitCode = 1;
  }
});
