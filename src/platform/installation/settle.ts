/** Compares the identity that the database stores with that of the folder: they are one, or one of them was copied or brought from elsewhere. */
import type { Db } from '#platform/db'
import { refuseStart } from '#platform/errors'
import type { FolderLocation } from '#platform/folders'
import type { Log } from '#platform/log'
import { clusterOf } from '#platform/postgres'
import { type FolderClaim, originalChecks } from './claim.ts'
import { judgeRelocation } from './judge.ts'
import { phrases } from './phrases.ts'
import { type CopyOrigin, readRecord, writeRecord } from './record.ts'
import { thisRelease } from './release.ts'
import { judgeServer, type ServerPlace, serverPlace } from './server-place.ts'
import * as store from './store.ts'

type FolderPlace = FolderLocation & { kind: 'folder' }
export type DatabasePlace = FolderPlace | ServerPlace

/** The identity, which stays as it is at the start unless the bucket shows that this is a copy. */
export interface Identity {
  id: string
  /** The data folder of this process, and the folder's own id: each of several folders over one database has another. */
  dataDir: string
  folderId: string
  /** Set while this installation is a copy that nobody has adopted. */
  copy: CopyOrigin | undefined
  /** Set at the first start after `kherad adopt`. */
  isAdopted: boolean
  place: DatabasePlace
}

export interface SettleOptions {
  db: Db
  claim: FolderClaim
  /** Absent if the database is the embedded one of the folder. */
  databaseUrl: string | undefined
  asCopy: boolean
  log: Log
}

/** Returns the identity of this installation. Throws `StartRefused` for a database that belongs to a folder of another machine. */
export async function settleIdentity(options: SettleOptions): Promise<Identity> {
  const { db, claim, databaseUrl } = options
  const { record, dataDir } = claim
  const place: DatabasePlace = databaseUrl
    ? await serverPlace(db, databaseUrl)
    : { kind: 'folder', ...record.place }
  const row = await store.readInstallation(db)
  const settled = row
    ? await reconcileIdentity(row, place, options)
    : { id: record.id, copy: recordedCopy(options) }
  const { id, copy } = await store.writeInstallation(db, { ...settled, place }, row?.id)
  const isAdopted = record.adopt === true
  // Each of several folders over one database keeps an identity of its own.
  const { adopt: _done, copy: folderCopy, ...kept } = record
  const own = databaseUrl ? { id: record.id, copy: folderCopy } : { id, copy }
  await writeRecord(dataDir, {
    ...kept,
    id: own.id,
    ...(own.copy && { copy: own.copy }),
    release: thisRelease(),
  })
  return { id, dataDir, folderId: own.id, copy, isAdopted, place }
}

/** The copy that the folder records. If the database has a server of its own, a copied folder says nothing about the installation. */
const recordedCopy = ({ claim, databaseUrl }: SettleOptions): CopyOrigin | undefined =>
  databaseUrl ? undefined : claim.record.copy

async function reconcileIdentity(
  row: store.Installation,
  place: DatabasePlace,
  options: SettleOptions,
): Promise<{ id: string; copy: CopyOrigin | undefined }> {
  const { claim, log } = options
  const { record } = claim
  if (record.adopt) return { id: row.copy?.id ?? row.id, copy: undefined }
  const own = recordedCopy(options)
  if (own && (own.id === row.id || own.id === null)) return { id: record.id, copy: own }
  if (place.kind === 'folder' && row.id === record.id) return { id: row.id, copy: row.copy }
  if (!(await wasCopied(row, place, options))) {
    if (placeName(row.place) !== placeName(place))
      log.info(
        { from: placeName(row.place), to: placeName(place) },
        'the database has moved, and is the same installation',
      )
    return { id: row.id, copy: row.copy }
  }
  const copy = { id: row.id, place: placeName(row.place) }
  log.warn({ original: copy.place }, 'the database is a copy: it has an identity of its own')
  return { id: place.kind === 'folder' ? record.id : crypto.randomUUID(), copy }
}

async function wasCopied(
  { id, place: before }: store.Installation,
  place: DatabasePlace,
  { db, claim, databaseUrl, asCopy }: SettleOptions,
): Promise<boolean> {
  const here = claim.record.place
  if (before.kind === 'folder') {
    const verdict = await judgeRelocation(before, here, originalChecks(id, await clusterOf(here.path)))
    if (verdict !== 'other machine') return verdict === 'copy'
    return asCopy || refuseStart(phrases.otherMachine(before.path))
  }
  if (place.kind === 'folder' || !databaseUrl) return false
  return (await judgeServer(db, databaseUrl, { id, before, here: place })) === 'copy'
}

export const placeName = (place: DatabasePlace): string =>
  place.kind === 'folder' ? place.path : `${place.host}:${place.port}/${place.name}`

/** Gives a new identity to an installation that turned out to be a copy of the one at `original`. */
export async function becomeCopy(db: Db, identity: Identity, original: string): Promise<void> {
  const copy = { id: identity.id, place: original }
  const own = await store.writeInstallation(
    db,
    { id: crypto.randomUUID(), place: identity.place, copy },
    identity.id,
  )
  Object.assign(identity, { id: own.id, copy: own.copy })
  const record = await readRecord(identity.dataDir)
  if (record && identity.place.kind === 'folder')
    await writeRecord(identity.dataDir, { ...record, id: own.id, copy })
}
