/** Bytes that a run works on, brought to the disk of this machine: stored files, and files of the web. */
import { addAbortSignal } from 'node:stream'
import { openStored } from '#capabilities/files'
import type { FetchedFile, InputFile, LocalFile } from '#engine/pipelines'
import type { Localized } from '#platform/errors'
import { FetchRefused } from '#platform/net'
import type { Spool } from '#platform/spool'
import type { Journal } from './journal/journal.ts'
import { fetchReasons } from './phrases.ts'
import type { RunLease } from './run-lease.ts'

/** Throws where the storage has other bytes than were stored. */
export async function openGiven(
  { app, run, signal }: RunLease,
  file: InputFile,
): Promise<LocalFile | undefined> {
  const stored = await openStored(app, { accountId: run.account_id, projectId: run.project_id }, file.id)
  if (!stored) return undefined
  const local = await app.spool.take(addAbortSignal(signal, stored.content), { maxBytes: stored.bytes })
  if (local.sha256 === stored.sha256) return local
  await local[Symbol.asyncDispose]()
  throw new Error(`The stored file ${file.id} is not what was stored.`)
}

export interface FetchStep {
  shift: RunLease
  journal: Journal
  step: string
  url: string
  maxBytes: number
}

/** A slow line still brings so much. */
const slowestBytesPerMs = 256
const answerMs = 30_000
const maxRedirects = 5

type Refused = { refused: Localized }

/** One use of web_fetch, at its price; what is refused costs nothing. */
export async function fetchWhole(ask: FetchStep): Promise<FetchedFile | Refused> {
  const { shift, journal, step } = ask
  const tool = shift.app.tools.find('web_fetch')
  if (!tool) return { refused: fetchReasons.off }
  await using bringing = new AsyncDisposableStack()
  let fetched: FetchedFile | undefined
  const told = await journal.paid<{ refused: Localized | null }>({
    step,
    kind: 'read',
    worst: tool.price,
    take: async () => {
      try {
        const found = await download(ask)
        if ('refused' in found) return { how: 'done', value: found, cost: 0n }
        fetched = found
        bringing.use(found.file)
        return { how: 'done', value: { refused: null }, cost: tool.price }
      } catch (error) {
        if (!shift.signal.aborted) throw error
        return { how: 'lost', cost: tool.price }
      }
    },
  })
  if (told.refused) return { refused: told.refused }
  // Paid for in another life, whose disk may have been another.
  fetched ??= await again(ask, bringing)
  bringing.move()
  return fetched ?? { refused: fetchReasons.gone }
}

async function again(ask: FetchStep, bringing: AsyncDisposableStack): Promise<FetchedFile | undefined> {
  const found = await download(ask)
  if ('refused' in found) return undefined
  bringing.use(found.file)
  return found
}

async function download({ shift, url, maxBytes }: FetchStep): Promise<FetchedFile | Refused> {
  const { app, signal } = shift
  let file: Awaited<ReturnType<Spool['take']>> | undefined
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
        file = await app.spool.take(body, { maxBytes })
      },
      signal,
    })
    if (!file) return { refused: fetchReasons.status(status) }
    const mediaType = ([headers['content-type']].flat()[0] ?? '').split(';', 1)[0]!.trim().toLowerCase()
    return { file, url: from, mediaType }
  } catch (error) {
    await file?.[Symbol.asyncDispose]()
    signal.throwIfAborted()
    if (error instanceof FetchRefused) return { refused: error.why }
    throw error
  }
}
