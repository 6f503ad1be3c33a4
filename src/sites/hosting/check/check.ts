/** Checks publications in threads of their own: nothing of a body of 32 MB is read, hashed or decoded where requests are answered. */
import { type FailureCode, fail } from '#platform/errors'
import { NotJson } from '#platform/json'
import type { Spool, SpoolFile } from '#platform/spool'
import { ThreadKilled, Threads } from '#platform/threads'
import type { CheckedPublication, PublicationLimits, PublishedFile } from '../publication.ts'
import type { CheckReport, CheckTask, ReportedFile } from './check-thread.ts'
import { refuse } from './phrases.ts'
import type { Problem } from './problem.ts'

/** The body of the largest publication takes a third of a second. */
const timeoutMs = 30_000
/** The memory for what is read of a body beside its contents, such as half a megabyte of paths. */
const memoryMb = 64
/** A publication that is refused may be sent again after this. */
const busyMs = 2_000
const spoolMs = 30_000

export interface CheckBounds {
  limits: PublicationLimits
  /** The lengths of those contents, by their hashes, that need not be sent, since a kept version of the site has them. */
  kept: (hashes: readonly string[]) => Promise<ReadonlyMap<string, number>>
}

/** Codes that `SiteChecks.check` raises, beside those of every route with `bodyToDisk`. */
export const checkErrors = [
  'CONFIRM_PUBLIC_REQUIRED',
  'SITE_FILE_NOT_KEPT',
  'PUBLICATIONS_BUSY',
  'PUBLICATION_NOT_CHECKED',
] as const satisfies FailureCode[]

/**
 * The bytes that the JSON of a publication may have: a third more than those of its files for Base64, some more for slashes that are
 * written `\/`, and eight thousand for the longest path with all its characters escaped. With the standard limits it is 32 MB.
 */
export const publicationBytes = ({ files, totalBytes }: PublicationLimits): number =>
  Math.ceil(totalBytes * 1.4) + files * 8_000

/** Checks the publications of this process, at most `atOnce` at the same time. */
export class SiteChecks implements AsyncDisposable {
  readonly #spool: Spool
  readonly #atOnce: number
  readonly #threads: Threads<CheckTask, CheckReport>
  #open = 0

  constructor({ spool, atOnce }: { spool: Spool; atOnce: number }) {
    this.#spool = spool
    this.#atOnce = atOnce
    this.#threads = new Threads({
      module: new URL('./check-thread.ts', import.meta.url),
      maxThreads: atOnce,
      timeoutMs,
      memoryMb,
    })
  }

  /**
   * Reads a body and checks every field and every file of it. Throws `NotJson`, INVALID_REQUEST and UNKNOWN_FIELD with the first problem in
   * `param`, SPOOL_FULL, and the codes of `checkErrors`: PUBLICATIONS_BUSY where as many are being checked as may be,
   * PUBLICATION_NOT_CHECKED for one that takes too long.
   */
  async check(body: Pick<SpoolFile, 'path' | 'bytes'>, bounds: CheckBounds): Promise<CheckedPublication> {
    if (this.#open >= this.#atOnce)
      fail('PUBLICATIONS_BUSY', { most: this.#atOnce }, { retryAfterMs: busyMs })
    this.#open++
    try {
      return await this.#check(body, bounds)
    } finally {
      this.#open--
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
  }

  async #check(
    { path, bytes }: Pick<SpoolFile, 'path' | 'bytes'>,
    { limits, kept }: CheckBounds,
  ): Promise<CheckedPublication> {
    await using opening = new AsyncDisposableStack()
    // The decoded bytes are three quarters of the Base64.
    const room = Math.min(limits.totalBytes, Math.ceil((bytes * 3) / 4))
    const folder = opening.use(await this.#spool.folder(room))
    const pack = `${folder.path}/pack`
    const report = await this.#report({ body: { path, bytes }, pack, limits })
    const files = await withKeptLengths(report, limits, kept)
    const { name, slug, spa, cloudId, redirects, headers } = report
    const open = opening.move()
    return {
      ...{ name, slug, spa, cloudId, files, redirects, headers },
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      pack: files.some(({ offset }) => offset !== undefined) ? { path: pack, ...report.pack } : undefined,
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    }
  }

  async #report(task: CheckTask): Promise<AcceptedReport> {
    const report = await this.#threads.run(task).catch((error: unknown) => {
      if (!(error instanceof ThreadKilled)) throw error
      return fail('PUBLICATION_NOT_CHECKED', {}, { retryAfterMs: timeoutMs, cause: error })
    })
    if ('trouble' in report) throw new NotJson(report.trouble)
    if ('isFull' in report) fail('SPOOL_FULL', { of: 'disk' }, { retryAfterMs: spoolMs })
    return 'problems' in report ? refuse(report.problems) : report
  }
}

type AcceptedReport = Extract<CheckReport, { pack: unknown }>

/** The files, with the lengths of those of which only the hash was sent. */
async function withKeptLengths(
  { files, sentBytes }: AcceptedReport,
  { totalBytes, fileBytes }: PublicationLimits,
  kept: CheckBounds['kept'],
): Promise<PublishedFile[]> {
  const hashes = files.filter(({ packed }) => !packed).map(({ sha256 }) => sha256)
  const known = hashes.length > 0 ? await kept([...new Set(hashes)]) : new Map<string, number>()
  const problems = files.flatMap((file) => problemOf(file, known, fileBytes))
  const keptBytes = hashes.reduce((sum, hash) => sum + (known.get(hash) ?? 0), 0)
  if (sentBytes + keptBytes > totalBytes)
    problems.push({ param: 'files', kind: 'allTooLarge', most: totalBytes })
  if (problems.length > 0) refuse(problems)
  return files.map(({ path, mediaType, sha256, packed }) => ({
    ...{ path, mediaType, sha256 },
    bytes: packed?.bytes ?? known.get(sha256)!,
    offset: packed?.offset,
  }))
}

function problemOf(
  { index, sha256, packed }: ReportedFile,
  known: ReadonlyMap<string, number>,
  fileBytes: number,
): Problem[] {
  if (packed) return []
  const param = `files.${index}.sha256`
  const bytes = known.get(sha256)
  if (bytes === undefined) return [{ param, kind: 'notKept' }]
  // The operator may have lowered the limit since.
  return bytes > fileBytes ? [{ param, kind: 'fileTooLarge', most: fileBytes }] : []
}
