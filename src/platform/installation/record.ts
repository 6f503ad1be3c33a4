/** The record in a data folder: which installation it is, where it lay, which release wrote it. */
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { type FolderLocation, replaceFile } from '#platform/folders'
import { phrases } from './phrases.ts'

/** The original of an installation that was copied, as long as nobody has adopted the copy. */
export interface CopyOrigin {
  /** The id of the original; null if an earlier release wrote it, which had no ids. */
  id: string | null
  /** The place of the original, for people. */
  place: string
}

export interface Release {
  /** The version of the program. */
  version: string
  /** The name of its last migration. */
  migration: string
}

export interface FolderRecord {
  id: string
  place: FolderLocation
  copy?: CopyOrigin
  /** Set by `kherad adopt`: the next start takes over the identity of the original, with its bucket and its databases. */
  adopt?: true
  release?: Release
}

const fileOf = (dataDir: string): string => path.join(dataDir, 'installation.json')

/** Reads the record. Undefined if no release that writes records was ever started on the folder, or if the file is damaged. */
export async function readRecord(dataDir: string): Promise<FolderRecord | undefined> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const record = JSON.parse(text) as FolderRecord
    return typeof record.id === 'string' && typeof record.place?.path === 'string' ? record : undefined
  } catch {
    return undefined
  }
}

export const writeRecord = (dataDir: string, record: FolderRecord): Promise<void> =>
  replaceFile(fileOf(dataDir), textOf(record)).catch(refuseUnwritten(dataDir))

/** Writes the first record and returns it; if another process was faster, returns that record. */
export async function createRecord(dataDir: string, record: FolderRecord): Promise<FolderRecord> {
  const draft = `${fileOf(dataDir)}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, textOf(record), { flush: true })
    await link(draft, fileOf(dataDir)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    refuseUnwritten(dataDir)(error as Error)
  } finally {
    await rm(draft, { force: true })
  }
  const first = await readRecord(dataDir)
  if (first) return first
  // The file exists but is damaged, by a power failure or an editor.
  await writeRecord(dataDir, record)
  return record
}

const textOf = (record: FolderRecord): string => `${JSON.stringify(record, undefined, 2)}\n`

const refuseUnwritten =
  (dataDir: string) =>
  (error: Error): never =>
    refuseStart(phrases.notWritten(fileOf(dataDir), error.message), error)
