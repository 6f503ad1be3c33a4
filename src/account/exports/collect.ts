/** Puts together what is stored of a person: the entries of the ZIP, in their order. */

import { type MembershipEntry, memberships, permissionsOf } from '#account/people'
import { Failure } from '#platform/errors'
import { isDeviceName, savableName } from '#platform/file-names'
import type { MadeFile, PersonPlace } from '#platform/holdings'
import type { ExportsApp } from './app.ts'
import type { ArchiveEntry } from './archive.ts'
import * as store from './collect-store.ts'
import { readme } from './readme.ts'

export interface Collecting {
  personId: string
  now: Date
  /** Throws where the work must end. Called at each page of receipts and at each file. */
  check: () => Promise<void>
}

type Row = Record<string, unknown>
type CollectApp = Pick<ExportsApp, 'db' | 'holdings'>

/** Formats whose bytes are compressed already. */
const packed = /^(?:image\/(?!svg)|audio\/(?!wav)|video\/|application\/(?:pdf|zip|gzip|vnd\.openxmlformats))/

export async function* collect(app: CollectApp, options: Collecting): AsyncGenerator<ArchiveEntry> {
  const { db } = app
  const { personId, now, check } = options
  const counts: Record<string, number> = {}
  const entry = (path: string, bytes: ArchiveEntry['bytes']): ArchiveEntry => ({
    ...{ path, bytes, modifiedAt: now, isPacked: false },
  })
  const list = (name: string, pages: AsyncIterable<readonly Row[]>): ArchiveEntry =>
    entry(
      `${name}.json`,
      jsonList(pages, (count) => (counts[name] = count)),
    )
  yield entry('README.en.txt', once(readme('en')))
  yield entry('README.fa.txt', once(`\uFEFF${readme('fa')}`))
  yield entry('profile.json', once(pretty(await store.readPerson(db, personId))))
  yield list('accounts', once(await store.readMemberships(db, personId)))
  yield list('invitations', once(await store.readInvitations(db, personId)))
  yield list('keys', once(await store.readKeys(db, personId)))
  yield list('mails', once(await store.readMails(db, personId)))
  yield list('texts', once(await store.readTexts(db, personId)))
  yield list('audit', store.readAudit(db, personId))
  const keys = await store.readPayingKeys(db, personId)
  yield list('requests', receipts(db, keys, check))
  const places = (await memberships(db, personId)).map(placeOf)
  for (const holding of app.holdings)
    for (const { name, pages } of holding.listsOf(personId, places)) yield list(name, checked(pages, check))
  const manifest: Row[] = []
  yield* files(app, { keys: readableKeys(keys, places), manifest, check })
  yield list('files', once(manifest))
  yield entry('summary.json', once(pretty({ person_id: personId, made_at: now.toISOString(), counts })))
}

type KeysOfAccounts = ReadonlyMap<string, readonly store.PayingKey[]>

const placeOf = ({ accountId, role, projectIds }: MembershipEntry): PersonPlace => ({
  ...{ accountId, projectIds, rights: permissionsOf(role) },
})

/** The keys in projects whose files the person may read now: of a project that they have left, what they made there is none of theirs. */
function readableKeys(keys: KeysOfAccounts, places: readonly PersonPlace[]): KeysOfAccounts {
  const readable = new Map<string, readonly store.PayingKey[]>()
  for (const { accountId, rights, projectIds } of places)
    if (rights.has('files:read'))
      readable.set(
        accountId,
        (keys.get(accountId) ?? []).filter(({ projectId }) => projectIds?.includes(projectId) ?? true),
      )
  return readable
}

const idsOf = (keys: readonly store.PayingKey[]): string[] => keys.map(({ keyId }) => keyId)

async function* receipts(
  db: ExportsApp['db'],
  keys: KeysOfAccounts,
  check: () => Promise<void>,
): AsyncGenerator<Row[]> {
  for (const [accountId, ofAccount] of keys)
    for await (const page of store.readReceipts(db, accountId, idsOf(ofAccount))) {
      await check()
      yield page
    }
}

async function* checked(pages: AsyncIterable<readonly Row[]>, check: () => Promise<void>) {
  for await (const page of pages) {
    await check()
    yield page
  }
}

interface FilesOptions {
  keys: KeysOfAccounts
  /** Gets a row for each file; the quotas of projects bound how many there are. */
  manifest: Row[]
  check: () => Promise<void>
}

async function* files(
  { db, holdings }: CollectApp,
  { keys, manifest, check }: FilesOptions,
): AsyncGenerator<ArchiveEntry> {
  const folders = new FileNames()
  for (const [accountId, ofAccount] of keys) {
    const keyIds = idsOf(ofAccount)
    if (keyIds.length === 0) continue
    const projects = await store.readProjectNames(db, accountId)
    const folderOf = new Map<string, { folder: string; names: FileNames }>()
    for (const holding of holdings)
      for await (const file of holding.filesMadeBy({ accountId, keyIds })) {
        await check()
        const place = folderOf.get(file.projectId) ?? {
          folder: folders.next(projects.get(file.projectId) ?? file.projectId),
          names: new FileNames(),
        }
        folderOf.set(file.projectId, place)
        const content = await opened(file)
        const path = `files/${place.folder}/${place.names.next(file.name)}`
        manifest.push({ path: content ? path : null, account_id: accountId, ...shownFile(file) })
        if (content)
          yield { path, isPacked: packed.test(file.mediaType), modifiedAt: file.createdAt, bytes: content }
      }
  }
}

/** Undefined for bytes that are gone, which the list of files says. */
const opened = (file: MadeFile) =>
  file.open().catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'FILE_LOST') return undefined
    throw error
  })

const shownFile = (file: MadeFile): Row => ({
  id: file.fileId,
  project_id: file.projectId,
  name: file.name,
  media_type: file.mediaType,
  bytes: file.bytes,
  sha256: file.sha256,
  receipt_id: file.receiptId,
  created_at: file.createdAt,
})

/** Names in one folder that every system can unpack beside each other, in whatever case they are compared. */
export class FileNames {
  readonly #taken = new Set<string>()
  /** The number at which the search for the next free name begins, by the name. */
  readonly #next = new Map<string, number>()

  /** The name itself if it is safe and free, or the next one with a number. */
  next(name: string): string {
    const plain = savableName(name.normalize('NFC'))
    const safe = isDeviceName(plain) ? `_${plain}` : plain
    const dot = /\.[A-Za-z0-9]{1,10}$/.exec(safe)?.index ?? safe.length
    for (let count = this.#next.get(safe) ?? 1; ; count++) {
      const tried = count === 1 ? safe : `${safe.slice(0, dot)} (${count})${safe.slice(dot)}`
      const folded = tried.toLowerCase()
      if (this.#taken.has(folded)) continue
      this.#taken.add(folded)
      this.#next.set(safe, count + 1)
      return tried
    }
  }
}

async function* once<Value>(value: Value): AsyncGenerator<Value> {
  yield value
}

const pretty = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/** A JSON array with one row a line, which programs can read line by line. */
async function* jsonList(
  pages: AsyncIterable<readonly Row[]>,
  counted: (count: number) => void,
): AsyncGenerator<string> {
  let count = 0
  yield '['
  for await (const rows of pages) {
    let text = ''
    for (const row of rows) text += `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`
    if (text !== '') yield text
  }
  yield '\n]\n'
  counted(count)
}
