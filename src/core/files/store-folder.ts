/**
 * Whether the folder of stored files is the one that this database knows. A folder that lost its files, or that was restored from another
 * installation, is reported, instead of answering that files do not exist.
 */
import { createHash } from 'node:crypto'
import type { Db } from '#platform/db'
import { writeFailure } from '#platform/disk-space'
import { Failure, type Localized, StartRefused } from '#platform/errors'
import type { Log } from '#platform/log'
import { cachedCheck, type ReadinessCheck } from '#platform/readiness'
import { holdsFiles, readMarker, readStoreId, type Storage, writeMarker } from '#platform/storage'
import { folderPhrases } from './phrases.ts'
import { keyOf } from './stage.ts'
import { type SampleFile, sampleFiles } from './store.ts'

/**
 * `fresh`: nothing is stored yet; `unmarked`: the files of this database are there, and its marker is not; `gone`: most of the tried files are not
 * there; `other`: none of them is, and the folder holds files of another database.
 */
export type FolderState = 'ours' | 'fresh' | 'unmarked' | 'other' | 'gone'

export interface StoreFolder {
  db: Db
  storage: Pick<Storage, 'get'>
  folder: string
}

/** Returns the state of the folder and changes nothing. `storeId` is what the marker must contain. */
export async function examineFolder({
  db,
  storage,
  folder,
}: StoreFolder): Promise<{ state: FolderState; storeId: string | undefined }> {
  const [storeId, marker] = [await readStoreId(db), await readMarker(folder)]
  if (marker !== undefined && marker === storeId) return { state: 'ours', storeId }
  const { tried, lost } = await verifySampleFiles(db, storage)
  return { state: await stateOf({ tried, lost }, folder, marker !== undefined), storeId }
}

/**
 * The bytes count more than the marker: a dump that was restored into the database of a first start has another id than that start wrote into the
 * folder, and the files of the dump may be restored after it.
 */
async function stateOf(
  { tried, lost }: { tried: number; lost: number },
  folder: string,
  isOfOther: boolean,
): Promise<FolderState> {
  if (tried > 0 && lost * 2 < tried) return 'unmarked'
  if (isOfOther && lost === tried && (await holdsFiles(folder))) return 'other'
  return tried === 0 ? 'fresh' : 'gone'
}

/**
 * Reads files of the database back, whole and with their hash: the newest and the oldest, so that both a lost disk and a disk that lacks the latest
 * files are found. A file that is deleted meanwhile does not count.
 */
export async function verifySampleFiles(
  db: Db,
  storage: Pick<Storage, 'get'>,
): Promise<{ tried: number; lost: number }> {
  const outcomes = await Promise.all((await sampleFiles(db)).map((file) => verifyFile(db, storage, file)))
  const known = outcomes.filter((one) => one !== 'deleted')
  return { tried: known.length, lost: known.filter((one) => one === 'lost').length }
}

async function verifyFile(
  db: Db,
  storage: Pick<Storage, 'get'>,
  file: SampleFile,
): Promise<'there' | 'lost' | 'deleted'> {
  const content = await storage.get(keyOf(file.account_id, file.file_id))
  const hash = createHash('sha256')
  for await (const chunk of content ?? []) hash.update(chunk as Uint8Array)
  if (content && hash.digest('hex') === file.sha256) return 'there'
  const still = await sampleFiles(db, file.file_id)
  return still.length > 0 ? 'lost' : 'deleted'
}

/**
 * Marks a folder that is new or whose files are really there, and refuses to start on a folder of another database. A folder without the files of
 * this database is only reported: other machines, or a restore under way, may have them. Returns the check for readiness.
 */
export async function openFolder(at: StoreFolder, log: Log): Promise<ReadinessCheck> {
  const first = await claimFolder(at, log)
  if (first === 'other') {
    const { en, fa } = folderPhrases.otherAtStart(at.folder)
    throw new StartRefused(en, fa)
  }
  if (first === 'gone') log.error({ folder: at.folder }, folderPhrases.gone.en)
  let wasHere = first !== 'gone'
  return cachedCheck(async () => {
    const state = await claimFolder(at, log)
    wasHere ||= state === 'ours'
    if (state === 'other') return problem('files_of_another_database', folderPhrases.other, true)
    // A folder that disappeared while this process ran would take new files that nobody finds later.
    return state === 'gone' ? problem('files_gone', folderPhrases.gone, wasHere) : undefined
  })
}

const problem = (code: string, message: Localized, blocks: boolean) => ({ code, message, blocks })

/** A folder that cannot be read does not prevent the start: whatever needs its files reports the error. */
async function claimFolder(at: StoreFolder, log: Log): Promise<FolderState> {
  const { state, storeId } = await examineFolder(at).catch((error: unknown) => {
    if (writeFailure(error, 'files') === error || error instanceof Failure) throw error
    log.warn({ err: error }, 'the folder of stored files cannot be read')
    return { state: 'gone' as const, storeId: undefined }
  })
  if ((state !== 'fresh' && state !== 'unmarked') || storeId === undefined) return state
  try {
    await writeMarker(at.folder, storeId)
  } catch (error) {
    log.warn({ err: error }, 'the folder of stored files could not be marked; it is tried again')
    return state
  }
  return 'ours'
}
