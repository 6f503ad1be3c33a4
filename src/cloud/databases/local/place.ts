/**
 * The place by which a database is recorded to be on this machine: the id of the folder of all databases, which goes where the data folder goes. The
 * file has a line for each data folder, `<place> <id of the folder>`: in a data folder that was copied, the databases are still those of the
 * original.
 */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { replaceFile } from '#platform/folders'

/** The data folder, as its own record names it. */
export interface PlaceOwner {
  id: string
  /** True at the first start after `kherad adopt`: the databases that lie here are this folder's. */
  isAdopted: boolean
}

const fileOf = (root: string): string => path.join(root, 'id')

/** The place of this data folder; undefined where no database of it was ever here. */
export async function findPlace(root: string, folder: string): Promise<string | undefined> {
  return (await readLines(root)).find((line) => line.folder === folder || line.folder === undefined)?.place
}

/** The place of this data folder, made once by whichever process is first. */
export async function makePlace(root: string, { id, isAdopted }: PlaceOwner): Promise<string> {
  const lines = await readLines(root)
  const own = lines.find(({ folder }) => folder === id)
  if (own) return own.place
  // A line that an earlier release wrote names no folder.
  const found = lines.find(({ folder }) => isAdopted || folder === undefined)
  if (lines.length > 0) {
    const place = found?.place ?? randomUUID()
    await replaceFile(
      fileOf(root),
      textOf([...lines.filter((line) => line !== found), { place, folder: id }]),
    )
    return place
  }
  const draft = `${fileOf(root)}.${process.pid}`
  await writeFile(draft, textOf([{ place: randomUUID(), folder: id }]))
  await link(draft, fileOf(root)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await findPlace(root, id))!
}

interface PlaceLine {
  place: string
  folder: string | undefined
}

async function readLines(root: string): Promise<PlaceLine[]> {
  const text = await readFile(fileOf(root), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [place = '', folder] = line.trim().split(' ')
      return { place, folder }
    })
}

const textOf = (lines: readonly PlaceLine[]): string =>
  lines.map(({ place, folder }) => `${place}${folder === undefined ? '' : ` ${folder}`}\n`).join('')
