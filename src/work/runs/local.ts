/** Copies what a run works on to the local disk: stored files, and files of the web. */

import { addAbortSignal } from 'node:stream'
import { openStored } from '#core/files'
import { noCost } from '#core/models'
import type { Localized } from '#platform/errors'
import { FetchRefused } from '#platform/net'
import { essenceOf } from '#platform/schema'
import type { Spool } from '#platform/spool'
import type { FetchedFile, InputFile, LocalFile } from '#work/pipelines'
import type { Journal } from './journal/journal.ts'
import { fetchReasons } from './phrases.ts'
import { toolUsage } from './price.ts'
import type { RunLease } from './run-lease.ts'

/** Opens a stored file; undefined if it was deleted. Throws if the stored bytes do not match their hash. */
export async function openInputFile(
  { app, run, signal }: RunLease,
  file: InputFile,
): Promise<LocalFile | undefined> {
  const stored = await openStored(
    app.files,
    { accountId: run.account_id, projectId: run.project_id },
    file.id,
  )
  if (!stored) return undefined
  const local = await app.spool.write(addAbortSignal(signal, stored.content), { maxBytes: stored.bytes })
  if (local.sha256 === stored.sha256) return local
  await local[Symbol.asyncDispose]()
  throw new Error(`The stored file ${file.id} is not what was stored.`)
}

export interface FetchStep {
  lease: RunLease
  journal: Journal
  step: string
  url: string
  maxBytes: number
}

/** Lowest download rate for which the timeout allows. */
const slowestBytesPerMs = 256
const answerMs = 30_000
const maxRedirects = 5

type Refusal = { refused: Localized }

/** Downloads a file as one use of web_fetch, at its price; a refused download costs nothing. */
export async function fetchFile(options: FetchStep): Promise<FetchedFile | Refusal> {
  const { lease, journal, step } = options
  const tool = lease.app.turns.tools.find('web_fetch')
  if (!tool) return { refused: fetchReasons.off }
  await using cleanup = new AsyncDisposableStack()
  let fetched: FetchedFile | undefined
  const result = await journal.runPaid<{ refused: Localized | null }>({
    step,
    kind: 'read',
    worst: tool.price,
    execute: async () => {
      try {
        const found = await download(options)
        if ('refused' in found) return { state: 'done', value: found, cost: noCost }
        fetched = found
        cleanup.use(found.file)
        return { state: 'done', value: { refused: null }, ...toolUsage(tool) }
      } catch (error) {
        if (!lease.signal.aborted) throw error
        return { state: 'lost', ...toolUsage(tool) }
      }
    },
  })
  if (result.refused) return { refused: result.refused }
  // The file was paid for before a crash, perhaps on another machine: it is downloaded again.
  fetched ??= await downloadAgain(options, cleanup)
  cleanup.move()
  return fetched ?? { refused: fetchReasons.gone }
}

async function downloadAgain(
  options: FetchStep,
  cleanup: AsyncDisposableStack,
): Promise<FetchedFile | undefined> {
  const found = await download(options)
  if ('refused' in found) return undefined
  cleanup.use(found.file)
  return found
}

async function download({ lease, url, maxBytes }: FetchStep): Promise<FetchedFile | Refusal> {
  const { app, signal } = lease
  let file: Awaited<ReturnType<Spool['write']>> | undefined
  try {
    const {
      status,
      headers,
      url: from,
    } = await app.net.fetch(url, {
      timeoutMs: answerMs + Math.ceil(maxBytes / slowestBytesPerMs),
      maxBytes,
      maxRedirects: maxRedirects,
      sink: async (body) => {
        file = await app.spool.write(body, { maxBytes })
      },
      signal,
    })
    if (!file) return { refused: fetchReasons.status(status) }
    const mediaType = essenceOf([headers['content-type']].flat()[0] ?? '')
    return { file, url: from, mediaType }
  } catch (error) {
    await file?.[Symbol.asyncDispose]()
    signal.throwIfAborted()
    if (error instanceof FetchRefused) return { refused: error.why }
    throw error
  }
}
