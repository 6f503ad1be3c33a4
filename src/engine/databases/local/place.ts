/** By which a database is recorded to be on this machine: the id of the folder of all of them, which goes where the folder goes. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

const fileOf = (root: string): string => path.join(root, 'id')

/** Undefined where no database was ever here. */
export const findPlace = (root: string): Promise<string | undefined> =>
  readFile(fileOf(root), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )

/** Made once, by whichever process is first. */
export async function makePlace(root: string): Promise<string> {
  const known = await findPlace(root)
  if (known !== undefined) return known
  const draft = `${fileOf(root)}.${process.pid}`
  await writeFile(draft, `${randomUUID()}\n`)
  await link(draft, fileOf(root)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(fileOf(root), 'utf8')).trim()
}
