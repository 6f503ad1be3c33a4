/**
 * Upgrades data that an older release has made. A newer PostgreSQL of the same major starts on such data as it is; our own schemas (sign-in, buckets)
 * get the steps that they lack, by the superuser in single-user mode, before anybody can connect. Nothing of the app runs there: a step only creates,
 * alters and replaces objects of ours, and touches no row of a table that may have a trigger of the app.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { alreadyRunningExitCode } from '#platform/jail'
import { type Layout, type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import { singleUser } from './program.ts'
import { runServer } from './run.ts'

/** The file lies among the data, so that a backup has it. */
const stepsFile = (layout: Layout): string => path.join(layout.data, 'kherad-steps')

/** Records how many steps the data has; a new database has all of them from `bootstrap.sql`. */
export async function writeSteps(layout: Layout, steps: number): Promise<void> {
  // Readable for PostgreSQL, which copies it into backups; nobody else enters its folder.
  const draft = `${stepsFile(layout)}.draft`
  await writeFile(draft, `${steps}\n`, { mode: 0o644, flush: true })
  await rename(draft, stepsFile(layout))
}

/**
 * Runs the missing steps before a start; may run any number of times, and so may each step. `busy`: the server runs, or another process is upgrading
 * it. Throws where this release cannot use the data.
 */
export async function upgrade(context: LocalContext, database: LocalDatabase): Promise<'done' | 'busy'> {
  const layout = layoutOf(context.root, database)
  const [major, steps] = await Promise.all([
    readFile(path.join(layout.data, 'PG_VERSION'), 'latin1'),
    readFile(stepsFile(layout), 'latin1').then(Number, () => 0),
  ])
  const { programs, log } = context
  if (major.trim() !== programs.major)
    throw new Error(
      `The data of this database is of PostgreSQL ${major.trim()}, and this release has ${programs.major}: start the release that made it, export, and import into a new one.`,
    )
  if (steps > programs.steps.length)
    throw new Error(
      `The data of this database has ${steps} steps of our schemas, and this release knows ${programs.steps.length}: start the newer release again.`,
    )
  for (let done = steps; done < programs.steps.length; done++) {
    const server = singleUser(programs, layout, programs.steps[done]!)
    if ((await runServer(context, server, database.user)) === alreadyRunningExitCode) return 'busy'
    await writeSteps(layout, done + 1)
    log.info({ ref: database.ref, step: done + 1 }, 'the schemas of a database were upgraded')
  }
  return 'done'
}
