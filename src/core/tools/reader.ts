import path from 'node:path'
import type { ToolError } from '#core/turn'
import { type ConfinedRunner, type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import type { GuardedClient } from '#platform/net'
import { fetchPage } from './fetch-page.ts'
import { maxBytesHere, readText } from './read-text.ts'
import type { PageWork, ReadPage } from './web-fetch.ts'

/** Reads entire untrusted documents for an index, with higher limits and longer timeouts than for an answer. */
export interface DocumentReader {
  /** A document as Markdown or plain text. Throws the signal's reason. */
  read(
    kind: 'text' | 'pdf' | 'docx',
    bytes: Uint8Array,
    requester: Requester,
  ): Promise<ReadText | ReadFailure>
  /** A page or PDF of the public web. Throws the signal's reason. */
  fetch(url: string, requester: Requester): Promise<ReadText | ReadFailure>
}

export interface ReadText {
  /** Empty where the document has none. */
  title: string
  text: string
  /** True: the document goes on after this text. */
  cut: boolean
}

export interface ReadFailure {
  /** `busy`: too many wait, and the request may be repeated; `unreadable`: the document is broken, locked, or made to take too long. */
  unread: 'busy' | 'unreadable' | 'no_text' | ToolError
}

/** The most bytes of the text: two million characters of Persian. */
const maxBytes = 4 * 1024 * 1024
const readingMs = 60_000
const maxPages = 2_000
const places = { working: 2, waiting: 64 }

export interface ReaderOptions {
  client: GuardedClient
  log: Log
  isolation?: FindIsolation
}

export function openReader({ client, log, isolation }: ReaderOptions): DocumentReader {
  const confine = openConfinement(log, places, isolation)
  const read: DocumentReader['read'] = (kind, bytes, requester) =>
    open(
      { kind, bytes, contentType: 'text/plain; charset=utf-8', url: 'about:blank', maxBytes, maxPages },
      requester,
    )
  const open = async (work: PageWork, requester: Requester): Promise<ReadText | ReadFailure> =>
    work.kind === 'text' && work.bytes.length <= maxBytesHere
      ? orNoText(readText(work))
      : readConfined(confine, work, requester)
  return {
    read,
    async fetch(url, requester) {
      const page = await fetchPage(client, url, { passes: () => true, signal: requester.signal })
      if ('error' in page) return { unread: page.error }
      const { kind, bytes, contentType } = page
      return open({ kind, bytes, contentType, url: page.url, maxBytes, maxPages }, requester)
    },
  }
}

const orNoText = ({ title, text, cut }: ReadPage): ReadText | ReadFailure =>
  text === '' ? { unread: 'no_text' } : { title, text, cut }

async function readConfined(
  confine: ConfinedRunner,
  work: PageWork,
  requester: Requester,
): Promise<ReadText | ReadFailure> {
  const outcome = await confine({
    module: path.join(import.meta.dirname, 'read-page-process.ts'),
    ...requester,
    input: work,
    timeoutMs: readingMs,
    // JSON writes a character in six bytes at most.
    maxOutputBytes: 6 * maxBytes + 16_384,
  })
  if ('lost' in outcome) return { unread: outcome.lost === 'busy' ? 'busy' : 'unreadable' }
  return orNoText(outcome.value as ReadPage)
}
