/** Makes a new database on this machine beside its place and moves it there when it is complete, so that a killed process leaves no half-made one. */
import { randomBytes } from 'node:crypto'
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { schemaFiles } from '../schema-files.ts'
import { type Layout, layoutOf, makeFolders, removeFolders } from './layout.ts'
import type { LocalContext } from './local.ts'
import { initdb, singleUser } from './program.ts'
import { runServer } from './run.ts'
import { writeSteps } from './upgrade.ts'

/** Nobody connects over a network, and the superuser not at all. */
const accessRules = `local replication backup trust
local replication all reject
local all kherad reject
local all all trust
`

/** Makes a database. May run any number of times, and at the same time in several processes: the first that ends wins. */
export async function makeDatabase(
  context: LocalContext,
  database: { ref: string; user: number | undefined },
) {
  const layout = layoutOf(context.root, database)
  if (await isMade(layout)) return
  const draft = layoutOf(context.root, { ref: `${database.ref}.${randomBytes(6).toString('hex')}` })
  try {
    await makeFolders(draft, database.user)
    await runServer(context, initdb(context.programs, draft), database.user)
    await runServer(
      context,
      singleUser(context.programs, draft, await writeSchemasFile(draft)),
      database.user,
    )
    await writeFile(path.join(draft.data, 'pg_hba.conf'), accessRules)
    await writeSteps(draft, context.programs.steps.length)
    await rm(path.join(draft.folder, 'schemas.sql'))
    await appendFile(path.join(draft.folder, 'made'), '')
    await rename(draft.folder, layout.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await removeFolders(draft)
  }
}

/** Writes all schemas into one file: each start of the program takes longer than what it runs. */
async function writeSchemasFile({ folder }: Layout): Promise<string> {
  const texts = await Promise.all(schemaFiles.map((file) => readFile(file, 'utf8')))
  const file = path.join(folder, 'schemas.sql')
  await writeFile(file, texts.join('\n'))
  return file
}

const isMade = (layout: Layout): Promise<boolean> =>
  readFile(path.join(layout.folder, 'made')).then(
    () => true,
    () => false,
  )
