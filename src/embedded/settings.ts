const FORGETFUL = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
];

/** How `initdb` makes a cluster: UTF-8, sorted by code point whatever the machine's locale, closed to everybody. */
export function initFlags(data: string, ephemeral: boolean): string[] {
  return [
    ...['-D', data, '--username=postgres', '--auth=reject', '--no-instructions', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(ephemeral ? ['--no-sync', '--no-data-checksums'] : []),
  ];
}

/** How `postgres` runs without a network, to take statements from its input. */
export function singleUserFlags(data: string, ephemeral: boolean): string[] {
  // A statement that fails is not repeated on stderr: it may hold the password.
  const settings = ['exit_on_error=on', 'log_min_error_statement=panic', 'log_checkpoints=off'];
  return ['--single', '-D', data, ...flags([...settings, ...(ephemeral ? FORGETFUL : [])]), 'postgres'];
}

/** How `postgres` serves: on one port of 127.0.0.1 only, under a name that its command line shows. */
export function serverFlags(data: string, port: number, name: string, ephemeral: boolean): string[] {
  return [
    ...['-D', data, '-p', String(port)],
    ...flags([
      ...[
        `cluster_name=${name}`,
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=200',
      ],
      ...['timezone=UTC', 'log_timezone=UTC'],
      // Errors of statements are told to their clients; in a log their details would be payloads.
      ...['log_min_messages=log', 'log_min_error_statement=panic', 'log_checkpoints=off'],
      ...(ephemeral ? FORGETFUL : []),
    ]),
  ];
}

function flags(settings: string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting]);
}
