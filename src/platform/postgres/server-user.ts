import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { refuseStart } from '#platform/errors'
import { phrases } from './phrases.ts'

/** The user that runs PostgreSQL if Kherad is root, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number
  gid: number
}

/**
 * The environment of child processes. It contains nothing of this process's environment, which contains keys. Messages are in English, because some
 * are parsed.
 */
export const childEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

const run = promisify(execFile)
const systemUserName = 'postgres'

export const isRoot = (): boolean => process.getuid?.() === 0

/** Runs a program as the given user (default: the current one); returns its stdout, throws on a failing exit code. */
export async function runAs(
  user: ServerUser | undefined,
  file: string,
  args: readonly string[],
): Promise<string> {
  // The current working folder may be inaccessible to that user.
  const { stdout } = await run(file, args, { ...user, env: childEnv, cwd: '/', maxBuffer: 1 << 24 })
  return stdout
}

/** True if that user can access the folder: tested, not computed from file modes. */
export async function canEnter(user: ServerUser | undefined, folder: string): Promise<boolean> {
  return runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder]).then(
    () => true,
    () => false,
  )
}

/** The system user `postgres`, which is created if missing. */
export async function systemUser(): Promise<ServerUser> {
  return (await lookUp()) ?? (await createUser())
}

async function lookUp(): Promise<ServerUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([
      runAs(undefined, 'id', ['-u', systemUserName]),
      runAs(undefined, 'id', ['-g', systemUserName]),
    ])
    return { uid: Number(uid), gid: Number(gid) }
  } catch {
    return undefined
  }
}

/** Creates the user. Most systems have `useradd`; Alpine has its own `adduser`. */
async function createUser(): Promise<ServerUser> {
  const ways: [string, ...string[]][][] = [
    [
      ['groupadd', '--system', systemUserName],
      ['useradd', '--system', '--gid', systemUserName, '--no-create-home', systemUserName],
    ],
    [
      ['addgroup', '-S', systemUserName],
      ['adduser', '-S', '-D', '-H', '-G', systemUserName, systemUserName],
    ],
  ]
  for (const commands of ways) {
    // A failing command does not matter: the group may already exist. Only the existence of the user counts.
    for (const [file, ...args] of commands) await runAs(undefined, file, args).catch(() => undefined)
    const user = await lookUp()
    if (user) return user
  }
  refuseStart(phrases.noSystemUser())
}
