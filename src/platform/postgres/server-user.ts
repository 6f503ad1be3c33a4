import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { refuseStart } from '#platform/errors'
import { phrases } from './phrases.ts'

/** Who runs PostgreSQL when Kherad itself is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  uid: number
  gid: number
}

/** Children see nothing of our environment, which holds keys. English messages, because we read some of them. */
export const childEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

const run = promisify(execFile)
const systemUserName = 'postgres'

export const isRoot = (): boolean => process.getuid?.() === 0

/** Runs a program to its end as the given user (ourselves when undefined); answers stdout, throws on a bad exit. */
export async function runAs(
  user: ServerUser | undefined,
  file: string,
  args: readonly string[],
): Promise<string> {
  // The folder we stand in may be closed to that user.
  const { stdout } = await run(file, args, { ...user, env: childEnv, cwd: '/', maxBuffer: 1 << 24 })
  return stdout
}

/** True when that user can really walk into the folder: asked of the kernel, not computed from modes. */
export async function canEnter(user: ServerUser | undefined, folder: string): Promise<boolean> {
  return runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder]).then(
    () => true,
    () => false,
  )
}

/** The system's user `postgres`, made when it is missing. */
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

/** Most systems have `useradd`; Alpine has its own `adduser`. */
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
    // A failing command is not the verdict: the group may exist already. Whether the user exists now, is.
    for (const [file, ...args] of commands) await runAs(undefined, file, args).catch(() => undefined)
    const user = await lookUp()
    if (user) return user
  }
  refuseStart(phrases.noSystemUser())
}
