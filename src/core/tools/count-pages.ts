import { createHash } from 'node:crypto'
import path from 'node:path'
import type { FindIsolation } from '#platform/confined'
import { type ConfinedRunner, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'

/** The result for one PDF. */
export type PdfPages = { pages: number } | { unreadable: 'locked' | 'broken' }

/**
 * Counts the pages of each of these PDFs, as readers of PDFs do; undefined when that was not possible: too many others wait for it, or it took too
 * long. Throws the signal's reason.
 */
export type CountPages = (
  files: readonly Uint8Array[],
  requester: Requester,
) => Promise<readonly PdfPages[] | undefined>

/** The time for all files of one request. */
const countingMs = 10_000
/** The most processes of one server that count at a time, and the most requests that may wait for one. */
const places = { working: 2, waiting: 64 }
/** The most files whose pages are remembered: a conversation brings its documents again with every turn. */
const maxRemembered = 2_000

/** Counts in processes that may be killed, one for all new files of a request. */
export function openPageCounter(log: Log, isolation?: FindIsolation): CountPages {
  const confine = openConfinement(log, places, isolation)
  const remembered = new Map<string, PdfPages>()
  return async (files, requester) => {
    const names = files.map(nameOf)
    const known = names.map((name) => remembered.get(name))
    const unknown = files.filter((_, index) => known[index] === undefined)
    const counted = unknown.length === 0 ? [] : await count(confine, unknown, requester)
    if (!counted) return undefined
    const all = known.map((pages) => pages ?? counted.shift()!)
    for (const [index, name] of names.entries()) remember(remembered, name, all[index]!)
    return all
  }
}

const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64')

async function count(
  confine: ConfinedRunner,
  files: readonly Uint8Array[],
  { accountId, signal }: Requester,
): Promise<PdfPages[] | undefined> {
  const outcome = await confine({
    module: path.join(import.meta.dirname, 'count-pages-process.ts'),
    accountId,
    input: files,
    timeoutMs: countingMs,
    maxOutputBytes: 64 * (files.length + 1),
    signal,
  })
  return 'value' in outcome ? (outcome.value as PdfPages[]) : undefined
}

/** Remembers a file; if there are too many, the oldest is forgotten. */
function remember(remembered: Map<string, PdfPages>, name: string, pages: PdfPages): void {
  remembered.set(name, pages)
  const [oldest] = remembered.keys()
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
}
