/** PostgreSQL as it runs in the jail of one cloud. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { type JailedServer, librariesOf } from '#platform/jail'
import type { Layout } from './layout.ts'

/** What of this machine the programs need; the same for all databases. */
export interface Programs {
  /** The folder with bin, lib and share. */
  native: string
  libraries: readonly string[]
  shellLibraries: readonly string[]
  /** Of PostgreSQL. */
  major: string
  /** Files of SQL that bring older data to what `bootstrap.sql` makes today, in their order; one that was released stays as it is. */
  steps: readonly string[]
}

const steps: readonly string[] = []

const shell = '/bin/sh'
const mebibyte = 1024 * 1024
/** A process that computes gets no more: a query fails with "out of memory" and the server goes on. */
const dataBytes = 256 * mebibyte
const sharedMemoryBytes = 64 * mebibyte
const processes = 64

export async function findPrograms(native: string): Promise<Programs> {
  const postgres = path.join(native, 'bin', 'postgres')
  const [libraries, shellLibraries, { stdout }] = await Promise.all([
    librariesOf(postgres),
    librariesOf(shell),
    promisify(execFile)(postgres, ['--version']),
  ])
  const major = /\) (\d+)/.exec(stdout)?.[1]
  if (major === undefined) throw new Error(`${postgres} names no version.`)
  // Those of its own folder are seen where the folder is.
  const outside = libraries.filter((place) => !place.startsWith(native + path.sep))
  return { native, libraries: outside, shellLibraries, major, steps }
}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_directories: '/socket',
  unix_socket_permissions: '0700',
  max_connections: '30',
  reserved_connections: '0',
  shared_buffers: '16MB',
  wal_level: 'replica',
  max_wal_senders: '2',
  min_wal_size: '4MB',
  max_wal_size: '64MB',
  wal_compression: 'on',
  temp_file_limit: '256MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  max_parallel_workers: '0',
  max_worker_processes: '2',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '1',
  io_method: 'sync',
  jit: 'off',
  dynamic_shared_memory_type: 'posix',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Failed statements are the app's: in the log they would only fill the disk, and show data.
  log_min_error_statement: 'panic',
}

const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const inJail = ({ native, libraries }: Programs, layout: Layout) => ({
  environment: { LD_LIBRARY_PATH: '/pg/lib', LC_ALL: 'C', PATH: '/bin' },
  libraries,
  readable: [
    { from: native, to: '/pg' },
    { from: layout.passwd, to: '/etc/passwd' },
  ],
  writable: [
    { from: layout.data, to: '/data' },
    { from: layout.socket, to: '/socket' },
  ],
  memory: [
    { to: '/dev/shm', bytes: sharedMemoryBytes },
    { to: '/tmp', bytes: mebibyte },
  ],
  dataBytes,
  processes,
  logFile: layout.logFile,
  infoFile: layout.infoFile,
  lockFile: layout.lockFile,
})

export function initdb(programs: Programs, layout: Layout): JailedServer {
  const common = inJail(programs, layout)
  return {
    ...common,
    program: '/pg/bin/initdb',
    args: [
      ...[
        '-D',
        '/data',
        '--username=kherad',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C',
        '--data-checksums',
      ],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--wal-segsize=1', '--no-instructions'],
    ],
    // It runs postgres by a shell.
    libraries: [...programs.libraries, ...programs.shellLibraries],
    readable: [...common.readable, { from: shell, to: shell }],
  }
}

/** Runs the statements of a file as the superuser, who has no other way in. */
export const singleUser = (programs: Programs, layout: Layout, inputFile: string): JailedServer => ({
  ...inJail(programs, layout),
  program: '/pg/bin/postgres',
  args: ['--single', '-j', '-D', '/data', '-c', 'exit_on_error=on', ...flags, 'postgres'],
  inputFile,
})

export const server = (programs: Programs, layout: Layout): JailedServer => ({
  ...inJail(programs, layout),
  program: '/pg/bin/postgres',
  args: ['-D', '/data', ...flags],
})
