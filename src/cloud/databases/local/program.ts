/** PostgreSQL as it runs in the jail of one cloud. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { fail } from '#platform/errors'
import { type JailedServer, librariesOf } from '#platform/jail'
import '../phrases.ts'
import { type DatabaseSize, standardSize, temporaryBytesOf } from '../size.ts'
import type { Layout } from './layout.ts'
import { refusals } from './phrases.ts'

/** What the programs need of this machine; the same for all databases. */
export interface PostgresPrograms {
  /** Folders to read, and where each stands in the jail: bin and lib are below /pg. */
  folders: readonly { from: string; to: string }[]
  /** The folder in the jail with the files of all extensions. */
  extensions: string
  libraries: readonly string[]
  shellLibraries: readonly string[]
  /** The major version of PostgreSQL. */
  major: string
  /** SQL files that bring older data to what `bootstrap.sql` makes today, in their order; a file that was released stays as it is. */
  steps: readonly string[]
}

const steps: readonly string[] = []

const shell = '/bin/sh'
const mebibyte = 1024 * 1024
const sharedMemoryBytes = 64 * mebibyte
const processes = 64
/** Earlier versions do not know all of the settings below. */
const oldestMajor = 18

/**
 * Finds what belongs to a `postgres`: all in one folder, as in the npm package, or with its files in /usr/share, as distributions have them. Throws
 * DATABASES_UNAVAILABLE where it is too old or its files are elsewhere.
 */
export async function findPrograms(postgres: string): Promise<PostgresPrograms> {
  const native = path.resolve(postgres, '../..')
  const [libraries, shellLibraries, { stdout }] = await Promise.all([
    librariesOf(postgres),
    librariesOf(shell),
    promisify(execFile)(postgres, ['--version']),
  ])
  const major = /\) (\d+)/.exec(stdout)?.[1] ?? '0'
  if (Number(major) < oldestMajor)
    fail('DATABASES_UNAVAILABLE', { why: refusals.oldPrograms(major, oldestMajor) })
  const share = [
    { from: `${native}/share/postgresql`, to: '/pg/share/postgresql' },
    { from: `${native}/share`, to: '/pg/share' },
    // A program that is not where it was built to be looks for these files at the place of its distribution.
    { from: `/usr/share/postgresql/${major}`, to: `/usr/share/postgresql/${major}` },
  ].find(({ from }) => existsSync(path.join(from, 'postgres.bki')))
  if (!share) fail('DATABASES_UNAVAILABLE', { why: refusals.noShare(postgres) })
  const isWithin = share.from.startsWith(native + path.sep)
  return {
    folders: [
      { from: native, to: '/pg' },
      ...(isWithin ? [] : [share, ...existing(systemTimeZones).map((from) => ({ from, to: from }))]),
    ],
    extensions: path.join(share.to, 'extension'),
    // Libraries in its own folder are visible with the folder.
    libraries: libraries.filter((place) => !place.startsWith(native + path.sep)),
    shellLibraries,
    major,
    steps,
  }
}

/** Distributions build PostgreSQL without time zones of its own. */
const systemTimeZones = '/usr/share/zoneinfo'

const existing = (place: string): string[] => (existsSync(place) ? [place] : [])

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_directories: '/socket',
  unix_socket_permissions: '0700',
  superuser_reserved_connections: '0',
  wal_level: 'replica',
  max_wal_senders: '2',
  min_wal_size: '4MB',
  max_wal_size: '64MB',
  // A backup that falls behind fails and is made again; writers go on meanwhile.
  max_slot_wal_keep_size: '256MB',
  wal_compression: 'on',
  work_mem: '4MB',
  // At most 8 MB of notifications that nobody has read, where PostgreSQL would keep 8 GB.
  max_notify_queue_pages: '1024',
  max_parallel_workers: '0',
  max_worker_processes: '2',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '1',
  io_method: 'sync',
  jit: 'off',
  dynamic_shared_memory_type: 'posix',
  // A statement of a killed process of this service ends before it has filled the disk: nobody watches it any more.
  client_connection_check_interval: '3s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A statement can raise messages below that level, and fill the disk with them.
  log_min_messages: 'fatal',
  log_checkpoints: 'off',
  // Failed statements are the app's: in the log they would only fill the disk, and show data.
  log_min_error_statement: 'panic',
}

/** Connections beside those of the app: sign-in, buckets, its developer, watchers and backups, in two processes of this service. */
const ownConnections = 24
/** Connections that are reserved for watchers and backups. */
const reservedConnections = 4

function flagsFor({ memoryBytes, diskBytes, connections }: DatabaseSize): string[] {
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024)}kB`
  const sized = {
    max_connections: String(2 * connections + ownConnections + reservedConnections),
    reserved_connections: String(reservedConnections),
    shared_buffers: kilobytes(sharedBytesOf({ memoryBytes })),
    maintenance_work_mem: kilobytes(clamp(8 * mebibyte, memoryBytes / 8, 128 * mebibyte)),
    temp_file_limit: kilobytes(temporaryBytesOf({ diskBytes })),
  }
  return Object.entries({ ...settings, ...sized }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The part of its memory that all of its processes share. */
export const sharedBytesOf = ({ memoryBytes }: Pick<DatabaseSize, 'memoryBytes'>): number =>
  clamp(8 * mebibyte, memoryBytes / 8, 256 * mebibyte)

const clamp = (least: number, value: number, most: number): number => Math.min(Math.max(least, value), most)

/**
 * The most memory of one process: beyond it the process fails with "out of memory", and the server goes on. The watch (machine-watch.ts) limits all
 * together.
 */
const dataBytesFor = ({ memoryBytes }: DatabaseSize): number => Math.max(64 * mebibyte, memoryBytes / 2)

const jailOptions = ({ folders, libraries }: PostgresPrograms, layout: Layout, size: DatabaseSize) => ({
  environment: { LD_LIBRARY_PATH: '/pg/lib', LC_ALL: 'C', PATH: '/bin' },
  libraries,
  readable: [...folders, { from: layout.passwd, to: '/etc/passwd' }],
  writable: [
    { from: layout.data, to: '/data' },
    { from: layout.socket, to: '/socket' },
  ],
  memory: [
    { to: '/dev/shm', bytes: sharedMemoryBytes },
    { to: '/tmp', bytes: mebibyte },
  ],
  dataBytes: dataBytesFor(size),
  processes,
  logFile: layout.logFile,
  infoFile: layout.infoFile,
  lockFile: layout.lockFile,
})

export function initdb(programs: PostgresPrograms, layout: Layout): JailedServer {
  const common = jailOptions(programs, layout, standardSize)
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
    // initdb runs postgres by a shell.
    libraries: [...programs.libraries, ...programs.shellLibraries],
    readable: [...common.readable, { from: shell, to: shell }],
  }
}

/** Runs the statements of a file as the superuser, who has no other way in. */
export const singleUser = (programs: PostgresPrograms, layout: Layout, inputFile: string): JailedServer => ({
  ...jailOptions(programs, layout, standardSize),
  program: '/pg/bin/postgres',
  args: ['--single', '-j', '-D', '/data', '-c', 'exit_on_error=on', ...flagsFor(standardSize), 'postgres'],
  inputFile,
})

export function server(programs: PostgresPrograms, layout: Layout, size: DatabaseSize): JailedServer {
  const common = jailOptions(programs, layout, size)
  return {
    ...common,
    // All extensions that an app may have are installed from the beginning; any other that it asks for does not exist.
    readable: [...common.readable, { from: layout.empty, to: programs.extensions }],
    program: '/pg/bin/postgres',
    args: ['-D', '/data', ...flagsFor(size)],
  }
}
