import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { foldersAbove } from '#platform/jail'

/**
 * The isolation of a confined process in addition to Node's permissions. `bubblewrap`: the process sees no files but its own, no other processes and
 * no network; `unshare`: it has no network; `none`: only Node's permissions and the system's limits apply.
 */
export interface Isolation {
  tool: 'bubblewrap' | 'unshare' | 'none'
  /** True if the process has no network, not even to this machine. */
  withoutNetwork: boolean
  /** True if the process runs as `nobody` although this server is root. Undefined if the server is not root, so there are no privileges to drop. */
  dropsUser: boolean | undefined
  /** The command that starts the program in isolation. */
  prefix(view: View): string[]
  /** Makes the folder writable for the process; called before the process starts. */
  give(folder: string): Promise<void>
}

/** Files and folders that are visible to the process. */
export interface View {
  readable: readonly string[]
  writable: readonly string[]
}

/**
 * Finds the strongest isolation that works on this machine by starting a process in each. Runs at the first use, and again until the result is
 * certain.
 */
export type FindIsolation = () => Promise<Isolation>

/** The user that owns nothing: 65534 on every Linux that we know. */
const nobody = 65534

export function openIsolation(): FindIsolation {
  let found: Promise<FoundIsolation> | undefined
  return async () => {
    found ??= findIsolation()
    try {
      const { isolation, isSure } = await found
      if (!isSure) found = undefined
      return isolation
    } catch (error) {
      found = undefined
      throw error
    }
  }
}

interface FoundIsolation {
  isolation: Isolation
  /** False if a stronger isolation timed out or could not be started: the machine may be busy. */
  isSure: boolean
}

const program = path.join(import.meta.dirname, 'isolation-process.ts')

async function findIsolation(): Promise<FoundIsolation> {
  const candidates = process.platform === 'linux' ? candidatesOf(process.getuid?.() === 0) : []
  let isSure = true
  for (const candidate of candidates) {
    const verdict = await testIsolation(candidate)
    if (verdict === 'works') return { isolation: candidate, isSure }
    if (verdict === 'unknown') isSure = false
  }
  return { isolation: none, isSure }
}

const none: Isolation = {
  tool: 'none',
  withoutNetwork: false,
  dropsUser: process.getuid?.() === 0 ? false : undefined,
  prefix: () => [],
  give: async () => {},
}

/** The possible isolations, strongest first. Containers often forbid some of them, and some machines forbid user namespaces to all but root. */
function candidatesOf(amRoot: boolean): Isolation[] {
  const drop = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--no-new-privs', '--']
  const stay = async () => {}
  const named = { withoutNetwork: true, dropsUser: amRoot ? false : undefined, give: stay }
  const asNobody: Isolation = {
    ...named,
    tool: 'bubblewrap',
    dropsUser: true,
    prefix: (view) => [...bubblewrap(view), '--', ...drop],
    give: (folder) => chown(folder, nobody, nobody),
  }
  const wrapped: Isolation = {
    ...named,
    tool: 'bubblewrap',
    prefix: (view) => [...bubblewrap(view), '--unshare-user', '--'],
  }
  // Without a file system view of its own another user could not read the given files, so the process keeps the server's user.
  const unshared: Isolation = {
    ...named,
    tool: 'unshare',
    prefix: () => ['unshare', ...(amRoot ? [] : ['--user']), '--net', '--'],
  }
  return amRoot ? [asNobody, wrapped, unshared] : [wrapped, unshared]
}

/** System libraries; fonts and programs are included, secrets and home folders are not. */
const system = ['/usr', '/bin', '/lib', '/lib64', '/nix/store', '/etc/ld.so.cache', '/etc/alternatives']

function bubblewrap({ readable, writable }: View): string[] {
  const shown = [...system, process.execPath, ...readable].filter((place) => existsSync(place))
  return [
    'bwrap',
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...['--die-with-parent', '--new-session'],
    // bubblewrap creates the parent folders of what it mounts, accessible only to root without `--perms`.
    ...foldersAbove([...shown, ...writable]).flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...shown.flatMap((place) => ['--ro-bind', place, place]),
    ...['--dev', '/dev', '--proc', '/proc'],
    ...writable.flatMap((place) => ['--bind', place, place]),
    ...['--remount-ro', '/'],
  ]
}

/** Tests that a process starts in this isolation and cannot connect to this server: reported support is not trusted. */
async function testIsolation(candidate: Isolation): Promise<'works' | 'fails' | 'unknown'> {
  await using server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const child = startProbe(candidate)
  const ended = once(child, 'close').catch((error: NodeJS.ErrnoException) => [error.code])
  if (child.pid === undefined) {
    const [code] = await ended
    return code === 'ENOENT' ? 'fails' : 'unknown'
  }
  child.stdin!.on('error', () => {})
  child.stdin!.end(JSON.stringify({ port }))
  const [output] = await Promise.all([
    json(child.stdout!).catch(() => undefined) as Promise<{ uid: number; called: boolean } | undefined>,
    ended,
  ])
  if (output === undefined && child.signalCode === 'SIGKILL') return 'unknown'
  return output?.called === false && (candidate.dropsUser !== true || output.uid === nobody)
    ? 'works'
    : 'fails'
}

function startProbe(candidate: Isolation): ChildProcess {
  const readable = [path.dirname(program), packageFile]
  const [command, ...words] = [
    ...candidate.prefix({ readable, writable: [] }),
    process.execPath,
    '--permission',
    ...readable.map((place) => `--allow-fs-read=${place}`),
    '--no-warnings',
    program,
  ]
  return spawn(command!, words, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
}

const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url))
